import { useAct } from '../../app/use-act.ts';
import { tellWithUndo } from '../../ui/toasts.tsx';

type Undo = () => Promise<unknown>;

/** Says that something is saved, and offers to take it back. */
export function useUndo() {
  const { run, isBusy } = useAct((undo: Undo) => undo());
  return { offer: (words: string, undo: Undo) => tellWithUndo(words, () => void run(undo)), isBusy };
}
