import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Tracing } from './tracing';

/** Has the last traces sent when the application ends. */
class TracingEnd implements OnApplicationShutdown {
  constructor(private readonly tracing: Tracing) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracing.close();
  }
}

@Module({})
export class TracingModule {
  /** @param tracing Undefined: nothing is traced. */
  static of(tracing: Tracing | undefined): DynamicModule {
    const providers = tracing ? [{ provide: TracingEnd, useValue: new TracingEnd(tracing) }] : [];
    return { module: TracingModule, providers };
  }
}
