import { useMutation } from '@tanstack/react-query';
import { tellError } from '../ui/toasts.tsx';

/**
 * Something that a button does: `const end = useAct(act.endSession, () => tell(t.ended))`, then `end.run({ session })`. A
 * refusal is told in a toast. Dialogs and forms show it themselves: `ConfirmDialog`, `FormDialog` and `Form`.
 */
export function useAct<Given extends unknown[], Answer>(
  run: (...given: Given) => Promise<Answer>,
  done?: (answer: Answer, ...given: Given) => void,
) {
  const { run: start, isBusy } = useRun(run, done, (error) => tellError(error.message));
  return { run: start, isBusy };
}

/** For a page that shows the answer or the refusal itself. */
export function useShownAct<Given extends unknown[], Answer>(
  run: (...given: Given) => Promise<Answer>,
  done?: (answer: Answer, ...given: Given) => void,
) {
  return useRun(run, done, () => undefined);
}

function useRun<Given extends unknown[], Answer>(
  run: (...given: Given) => Promise<Answer>,
  done: (answer: Answer, ...given: Given) => void = () => undefined,
  refused: (error: Error) => void,
) {
  const { mutateAsync, isPending, data, error, reset } = useMutation({
    mutationFn: (given: Given) => run(...given),
    onSuccess: (answer, given) => done(answer, ...given),
    onError: refused,
  });
  /** Answers whether it was done. */
  const start = (...given: Given): Promise<boolean> =>
    mutateAsync(given).then(
      () => true,
      () => false,
    );
  return { run: start, isBusy: isPending, answer: data, error, reset };
}
