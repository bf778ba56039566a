import { act } from '../app/act.ts';
import { m } from '../messages/index.ts';
import { tell } from '../ui/toasts.tsx';
import { attempt } from './attempt.ts';

const t = m.checkActs;

/** Brings a deleted check back, and calls `done` once it is there. */
export const restoreCheck = (
  { project, uuid, name }: { readonly project: string; readonly uuid: string; readonly name: string },
  done?: () => void,
) =>
  attempt(t.couldNot.restore(name), async () => {
    const { refused } = await act.restoreChecks({ project, checks: [uuid] });
    if (refused[0] !== undefined) throw new Error(refused[0].error);
    tell(t.restored(name));
    done?.();
  });
