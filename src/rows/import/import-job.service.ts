import { Injectable } from '@nestjs/common';
import { Page } from '../../common/envelope/page';
import { conflict, notFound } from '../../common/error/app-error';
import type { PageRequest } from '../../common/paging/page-request';
import type { ImportDto, ImportSummaryDto } from './dto/import.dto';
import { toImportDto, toSummaryDto } from './dto/print-import';
import { ImportService } from './import.service';
import { ImportRepository } from './job/import.repository';
import { CANCELLED, ImportEndedError } from './run/import-failures';

/** Imports into an account's datagrids, whichever process runs them. */
@Injectable()
export class ImportJobService {
  constructor(
    private readonly repository: ImportRepository,
    private readonly imports: ImportService,
  ) {}

  /** A page, the last started first. @throws AppError `not_found` */
  async list(
    accountId: string,
    datagridId: string,
    page: PageRequest,
  ): Promise<Page<ImportSummaryDto>> {
    const found = await this.repository.list(accountId, datagridId, page);
    if (!found) throw notFound('Datagrid');
    const [records, total] = found;
    return new Page(records.map(toSummaryDto), total, page);
  }

  /** @throws AppError `not_found` */
  async get(accountId: string, datagridId: string, id: string): Promise<ImportDto> {
    const report = await this.repository.find(accountId, { datagridId, id });
    if (!report) throw notFound('Import');
    return toImportDto(report);
  }

  /**
   * Ends a running import; steps that are committed stay. One that was cancelled before stays so.
   * @throws AppError `not_found`, or `conflict` where it is over.
   */
  async cancel(accountId: string, datagridId: string, id: string): Promise<void> {
    if (await this.repository.cancel(accountId, { datagridId, id }, CANCELLED)) {
      this.imports.stop(id, new ImportEndedError());
      return;
    }
    const { state } = await this.get(accountId, datagridId, id);
    if (state !== 'cancelled') throw conflict(`The import has already ${state}.`);
  }
}
