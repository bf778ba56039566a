import { useMutation } from '@tanstack/react-query';
import { tellError } from '../ui/toasts.tsx';

/**
 * Something that a button does: `const end = useAct(act.endSession, () => tell(t.ended))`, then `end.run({ session })`. A
 * refusal is told in a toast. Dialogs and forms show it themselves: `ConfirmDialog`, `FormDialog` and `Form`.
 */
export function useAct<Given extends unknown[], Answer>(
  run: (...given: Given) => Promise<Answer>,
  done: (answer: Answer, ...given: Given) => void = () => undefined,
) {
  const { mutate, isPending } = useMutation({
    mutationFn: (given: Given) => run(...given),
    onSuccess: (answer, given) => done(answer, ...given),
    onError: (error) => tellError(error.message),
  });
  return { run: (...given: Given) => mutate(given), isBusy: isPending };
}
