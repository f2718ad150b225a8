import { type DynamicModule, Global, Module } from '@nestjs/common';
import { call, type Channel } from './channel';

/** What a supervisor tells a worker that it has started. */
export interface WorkerOrder {
  /** Number of the worker, from 1. One that replaces another has its number. */
  readonly number: number;
  /** Port on which all workers listen. */
  readonly port: number;
  /** URL of the database, which the supervisor has opened if it is the embedded one. */
  readonly databaseUrl: string;
  readonly isEmbedded: boolean;
  /**
   * Whether the worker is the first of its instance: it migrates, and listens while it waits for the
   * database. Others start when it is ready.
   */
  readonly isFirst: boolean;
}

/** A worker asks what to do. */
export const JOIN = call<null, WorkerOrder>('join');
/** A worker serves requests at this URL. */
export const READY = call<{ readonly url: string }>('ready');

/** The supervisor of this process, which is one of the workers of an instance. */
export class Supervisor {
  private isGone = false;

  constructor(
    readonly order: WorkerOrder,
    readonly channel: Channel,
    /** Settles when the supervisor has ended, even if it was killed. */
    readonly lost: Promise<void>,
  ) {
    void lost.then(() => {
      this.isGone = true;
    });
  }

  get isLost(): boolean {
    return this.isGone;
  }
}

/** Provides the supervisor to all modules; `null` if this process is the whole instance. */
@Global()
@Module({})
export class SupervisorModule {
  static of(supervisor: Supervisor | null): DynamicModule {
    return {
      module: SupervisorModule,
      providers: [{ provide: Supervisor, useValue: supervisor }],
      exports: [Supervisor],
    };
  }
}
