import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Tracing } from './tracing';

/** Sends the remaining traces when the application shuts down. */
class TracingEnd implements OnApplicationShutdown {
  constructor(private readonly tracing: Tracing) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracing.close();
  }
}

@Module({})
export class TracingModule {
  /** @param tracing `undefined` if tracing is off. */
  static of(tracing: Tracing | undefined): DynamicModule {
    const providers = tracing ? [{ provide: TracingEnd, useValue: new TracingEnd(tracing) }] : [];
    return { module: TracingModule, providers };
  }
}
