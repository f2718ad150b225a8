interface Attempts {
  count: number;
  /** Resolves when the next of them ends. */
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

/** Attempts of this process whose outcome is not known yet, by the name that they count under. */
export class AttemptsInProgress {
  private readonly attempts = new Map<string, Attempts>();

  begin(name: string): void {
    const known = this.attempts.get(name);
    if (known) known.count += 1;
    else this.attempts.set(name, { count: 1, ...nextEnd() });
  }

  /** Ends an attempt whose outcome is known, and wakes everybody who waits for one of this name. */
  end(name: string): void {
    this.leave(name, true);
  }

  /** Takes back an attempt that was refused before it was made. Wakes nobody unless it was the last. */
  withdraw(name: string): void {
    this.leave(name, false);
  }

  /** The next end of an attempt; `undefined` if none is in progress. */
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
