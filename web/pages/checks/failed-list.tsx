import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';

/** Replaces a list of checks that cannot be read. */
export function FailedList({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  return (
    <Blank
      shape="unknown"
      title={m.checks.failed}
      actions={<Button onClick={onRetry}>{m.errors.retry}</Button>}
    >
      {error.message}
    </Blank>
  );
}
