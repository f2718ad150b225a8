import { Injectable } from '@nestjs/common';
import { CopyConnections } from '../../../platform/database/copy-connections';
import { HOLD } from '../job/import-sql';
import type { ImportPlace } from '../job/import.repository';
import { LineStage } from './line-stage';

@Injectable()
export class LineStageRepository {
  constructor(private readonly connections: CopyConnections) {}

  /**
   * Opens a stage for the lines of an import. Its session holds the import's lock until the stage
   * is closed.
   */
  async open(place: ImportPlace): Promise<LineStage> {
    const connection = await this.connections.take();
    try {
      await connection.run(HOLD, [place.id]);
      return new LineStage(connection, place);
    } catch (error) {
      connection.release();
      throw error;
    }
  }
}
