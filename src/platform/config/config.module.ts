import { Global, Module, type DynamicModule } from '@nestjs/common';
import { AppConfig } from './app-config';

/** Gives the checked configuration to everything. */
@Global()
@Module({})
export class ConfigModule {
  static of(config: AppConfig): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: AppConfig, useValue: config }],
      exports: [AppConfig],
    };
  }
}
