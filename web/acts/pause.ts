import { act } from '../app/act.ts';
import { ApiError } from '../app/api.ts';
import { m } from '../messages/index.ts';
import { tell, tellWithUndo } from '../ui/toasts.tsx';
import { attempt, type Guess } from './attempt.ts';

const t = m.checkActs;

interface PausedCheck {
  /** Its UUID or its unique key. */
  readonly ref: string;
  readonly name: string;
}

export function pauseCheck({ ref, name }: PausedCheck, guess?: Guess): Promise<void> {
  const undo = () =>
    attempt(t.couldNot.undoPause(name), () =>
      unlessResumed(name, act.undoPause({ check: ref }), t.pauseUndone),
    );
  const work = async () => {
    await act.pauseCheck({ check: ref });
    tellWithUndo(t.paused(name), () => void undo());
  };
  return attempt(t.couldNot.pause(name), work, guess);
}

export function resumeCheck({ ref, name }: PausedCheck, guess?: Guess): Promise<void> {
  const work = () => unlessResumed(name, act.resumeCheck({ check: ref }), t.resumed);
  return attempt(t.couldNot.resume(name), work, guess);
}

/** Tells that it is done, or that somebody else has ended the pause before. */
async function unlessResumed(
  name: string,
  doing: Promise<unknown>,
  done: (name: string) => string,
): Promise<void> {
  try {
    await doing;
    tell(done(name));
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'check_not_paused')) throw error;
    tell(t.alreadyResumed(name));
  }
}
