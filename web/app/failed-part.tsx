import { m } from '../messages/index.ts';
import { Blank } from '../ui/blank.tsx';
import { Button } from '../ui/button.tsx';
import { useRecovery } from './use-recovery.ts';

/** Replaces a part of a page that cannot be read. */
export function FailedPart({
  title,
  error,
  tryAgain,
}: {
  readonly title: string;
  readonly error: Error;
  readonly tryAgain: () => Promise<unknown>;
}) {
  const { isTrying, retry } = useRecovery(tryAgain);
  return (
    <Blank
      shape="unknown"
      title={title}
      actions={
        <Button isBusy={isTrying} onClick={retry}>
          {m.errors.retry}
        </Button>
      }
    >
      {error.message}
    </Blank>
  );
}
