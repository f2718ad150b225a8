interface Attempts {
  count: number;
  /** Resolves when the next attempt of this name ends. */
  ended: Promise<void>;
  end: () => void;
}

function nextEnd(): Pick<Attempts, 'ended' | 'end'> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}

/** Sign-in attempts of this process whose outcome is not known yet, by the name of their limit. */
export class AttemptsInProgress {
  private readonly attempts = new Map<string, Attempts>();

  begin(name: string): void {
    const known = this.attempts.get(name);
    if (known) known.count += 1;
    else this.attempts.set(name, { count: 1, ...nextEnd() });
  }

  /** Ends an attempt with an outcome, and wakes all waiters of this name. */
  end(name: string): void {
    this.leave(name, true);
  }

  /**
   * Removes an attempt that was rejected before it was made. Wakes waiters only if it was the last
   * one of this name.
   */
  withdraw(name: string): void {
    this.leave(name, false);
  }

  /** Returns a promise for the next end of an attempt; `undefined` if none is in progress. */
  next(name: string): Promise<void> | undefined {
    return this.attempts.get(name)?.ended;
  }

  private leave(name: string, hasOutcome: boolean): void {
    const known = this.attempts.get(name);
    if (!known) return;
    known.count -= 1;
    if (known.count === 0) this.attempts.delete(name);
    else if (!hasOutcome) return;
    known.end();
    Object.assign(known, nextEnd());
  }
}
