import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Logger } from './logger';

@Global()
@Module({})
export class LoggingModule {
  static of(logger: Logger): DynamicModule {
    return {
      module: LoggingModule,
      providers: [{ provide: Logger, useValue: logger }],
      exports: [Logger],
    };
  }
}
