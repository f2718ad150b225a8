import { DatagridDto } from '../../datagrids/dto/datagrid.dto';
import { WorkspaceDto } from '../../workspaces/dto/workspace.dto';

/** What comes out of the trash, by its kind. */
export const RESTORED = { workspace: WorkspaceDto, datagrid: DatagridDto };

export type RestoredDto = WorkspaceDto | DatagridDto;
