import type { Item } from '../../common/envelope/item';
import type { JsonItem } from '../../common/envelope/json-item';
import { DatagridDto } from '../../datagrids/dto/datagrid.dto';
import { WorkspaceDto } from '../../workspaces/dto/workspace.dto';

/** What comes out of the trash, by its kind. */
export const RESTORED = { workspace: WorkspaceDto, datagrid: DatagridDto };

/** The same as services give it: a datagrid as text. */
export type Restored = Item<WorkspaceDto> | JsonItem;
