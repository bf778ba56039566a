import { tellError } from '../ui/toasts.tsx';

/** Shown before the server has answered, and taken back if it refuses. */
export interface Guess {
  readonly show: () => void;
  readonly takeBack: () => void;
}

const NO_GUESS: Guess = { show: () => undefined, takeBack: () => undefined };

/** Does it, and tells why it could not. */
export async function attempt(
  failed: string,
  work: () => Promise<void>,
  guess: Guess = NO_GUESS,
): Promise<void> {
  guess.show();
  try {
    await work();
  } catch (error) {
    guess.takeBack();
    const reason = error instanceof Error ? error.message : String(error);
    tellError(`${failed} ${reason}`, () => void attempt(failed, work, guess));
  }
}
