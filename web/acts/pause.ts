import { act } from '../app/act.ts';
import { ApiError } from '../app/api.ts';
import { m } from '../messages/index.ts';
import { tell, tellWithAction } from '../ui/toasts.tsx';
import { attempt, type Guess } from './attempt.ts';

const t = m.checkActs;

interface PausedCheck {
  /** Its UUID or its unique key. */
  readonly ref: string;
  readonly name: string;
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
