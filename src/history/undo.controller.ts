import { Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import { ApiErrors, ApiOneResponse } from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { DatagridId } from '../platform/http/path-id';
import { UndoWriteDto, UndoWriteResultDto } from './dto/history.dto';
import { UndoService } from './undo.service';

/** Undoes writes of a datagrid. */
@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class UndoController {
  constructor(private readonly undos: UndoService) {}

  /**
   * Undo a write
   *
   * @remarks Undoes one write of up to 100,000 rows: deletes the rows that it created,
   * restores the values of those that it updated, and creates the rows that it deleted again. All or
   * nothing: if some of the rows were written since, the request returns 409, or leaves them as
   * they are with `skipConflicts`. Use `dryRun` to count the rows first. `history` must have been on
   * at the write, unless it only created or deleted rows. Writes can be undone for 7 days by default.
   */
  @Post('undo')
  @RequirePermission('rows:write')
  @ApiOneResponse(200, UndoWriteResultDto)
  @ApiErrors('not_found', 'conflict')
  undo(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @JsonBody(UndoWriteDto) body: UndoWriteDto,
  ): Promise<UndoWriteResultDto> {
    return this.undos.undo(caller, datagridId, body);
  }
}
