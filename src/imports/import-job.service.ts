import { Injectable } from '@nestjs/common';
import { JsonResponse } from '../common/envelope/json-response';
import { conflict, notFound } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import { type ImportDto, type ImportSummaryDto, toImportDto, toSummaryDto } from './dto/import.dto';
import { ImportService } from './import.service';
import { ImportRepository } from './job/import.repository';
import { CANCELLED, ImportEndedError } from './progress/import-progress';

/**
 * Lists, reads and cancels imports into an account's datagrids, regardless of the process that runs
 * them.
 */
@Injectable()
export class ImportJobService {
  constructor(
    private readonly database: Database,
    private readonly repository: ImportRepository,
    private readonly imports: ImportService,
  ) {}

  /** Returns one page of imports, newest first. @throws AppError `not_found` */
  async list(
    accountId: string,
    datagridId: string,
    page: PageRequest,
  ): Promise<JsonResponse<ImportSummaryDto[]>> {
    const found = await this.repository.list(accountId, datagridId, page);
    if (!found) throw notFound('Datagrid');
    const [records, total] = found;
    return JsonResponse.page(records.map(toSummaryDto), total, page);
  }

  /** Returns the report of an import. @throws AppError `not_found` */
  async get(accountId: string, datagridId: string, id: string): Promise<ImportDto> {
    const report = await this.repository.find(accountId, { datagridId, id });
    if (!report) throw notFound('Import');
    return toImportDto(report);
  }

  /**
   * Cancels a running import. Committed steps are kept. Cancelling an import again has no effect.
   * @throws AppError `not_found`, or `conflict` if the import has completed or failed.
   */
  async cancel(accountId: string, datagridId: string, id: string): Promise<void> {
    await this.get(accountId, datagridId, id);
    if (await this.repository.cancel(accountId, { datagridId, id }, CANCELLED)) {
      // The import reads its state when it has stopped.
      this.database.onCommit(() => {
        this.imports.stop(id, new ImportEndedError());
      });
      return;
    }
    // It may have ended in the meantime.
    const { state } = await this.get(accountId, datagridId, id);
    if (state !== 'cancelled') throw conflict(`The import has already ${state}.`);
  }
}
