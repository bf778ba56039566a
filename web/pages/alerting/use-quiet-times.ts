import { act } from '../../app/act.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { tell, tellWithUndo } from '../../ui/toasts.tsx';
import { inputOf, type QuietTime, type QuietTimeInput } from './quiet-times.ts';

const t = m.quietTimes;

export type QuietTimeActs = ReturnType<typeof useQuietTimeActs>;

/** What people do with the quiet times of a project. Each says what it did, and offers to take it back where that is possible. */
export function useQuietTimeActs(project: string) {
  const place = { project };
  const takeBack = useAct((undo: () => Promise<unknown>) => undo());
  const offer = (words: string, undo: () => Promise<unknown>) =>
    tellWithUndo(words, () => void takeBack.run(undo));
  const stop = useAct(
    ({ uuid: quietTime }: QuietTime) => act.stopQuietTime({ ...place, quietTime }),
    // What was told cannot be taken back.
    (_answer, { name }) => tell(t.stopped(name)),
  );
  const remove = useAct(
    ({ uuid: quietTime }: QuietTime) => act.deleteQuietTime({ ...place, quietTime }),
    (_answer, gone) => {
      const input = inputOf(gone);
      if (input === null) tell(t.removed(gone.name));
      else offer(t.removed(gone.name), () => act.announceQuietTime({ ...place, ...input }));
    },
  );
  return {
    isBusy: stop.isBusy || remove.isBusy || takeBack.isBusy,
    announce: async (input: QuietTimeInput) => {
      const { uuid: quietTime, name, isNew } = await act.announceQuietTime({ ...place, ...input });
      if (isNew) offer(t.announced(name), () => act.deleteQuietTime({ ...place, quietTime }));
      else tell(t.replaced(name));
    },
    change: async (before: QuietTime, input: QuietTimeInput) => {
      const edited = { ...place, quietTime: before.uuid };
      await act.editQuietTime({ ...edited, ...input });
      const earlier = inputOf(before);
      const words = t.saved(input.name ?? before.name);
      if (earlier === null) tell(words);
      else offer(words, () => act.editQuietTime({ ...edited, ...earlier }));
    },
    stop: (quietTime: QuietTime) => void stop.run(quietTime),
    remove: (quietTime: QuietTime) => void remove.run(quietTime),
  };
}
