import { act } from '../app/act.ts';
import { ApiError } from '../app/api.ts';
import { m } from '../messages/index.ts';
import { tell, tellError, tellWithAction } from '../ui/toasts.tsx';

const t = m.checkActs;

interface PausedCheck {
  /** Its UUID or its unique key. */
  readonly ref: string;
  readonly name: string;
}

/** Shown before the server has answered, and taken back if it refuses. */
interface Guess {
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
    tellError(t.failed(failed, reason), () => void attempt(failed, work, guess));
  }
}

export function pauseCheck({ ref, name }: PausedCheck, guess?: Guess): Promise<void> {
  const work = async () => {
    await act.pauseCheck({ check: ref });
    // After resuming it waits for a ping: its earlier status does not come back.
    tellWithAction(t.paused(name), t.menu.resume, () => void resumeCheck({ ref, name }));
  };
  return attempt(t.couldNot.pause(name), work, guess);
}

export function resumeCheck({ ref, name }: PausedCheck, guess?: Guess): Promise<void> {
  const work = async () => {
    try {
      await act.resumeCheck({ check: ref });
      tell(t.resumed(name));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'check_not_paused')) throw error;
      tell(t.alreadyResumed(name));
    }
  };
  return attempt(t.couldNot.resume(name), work, guess);
}
