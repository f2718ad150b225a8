import { Controller, Get, Module } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { unavailable } from '../../common/error/app-error';
import { Public } from '../http/access';
import { HealthService } from './health.service';

export interface Health {
  readonly status: 'ok';
}

/** Probes for the platform; not part of the public API. */
@ApiExcludeController()
@Controller('health')
class HealthController {
  constructor(private readonly health: HealthService) {}

  /** Whether the process responds at all. */
  @Get('live')
  @Public('none')
  live(): Health {
    return { status: 'ok' };
  }

  /** Whether it can serve: the database responds, and no shutdown has begun. */
  @Get('ready')
  @Public('none')
  async ready(): Promise<Health> {
    if (await this.health.isReady()) return { status: 'ok' };
    throw unavailable('The service is not ready.');
  }
}

@Module({ controllers: [HealthController], providers: [HealthService] })
export class HealthModule {}
