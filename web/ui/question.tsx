import type { ReactNode } from 'react';
import { m } from '../messages/index.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { ErrorText } from './error-text.tsx';

/** Asks before something that cannot be taken back. */
export function Question({
  title,
  action,
  error,
  isBusy,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  /** The word on the button. */
  readonly action: string;
  readonly error: string | null;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** What is lost. */
  readonly children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="text-13 text-ink-2">{children}</div>
      {error !== null && <ErrorText>{error}</ErrorText>}
      <DialogActions>
        <Button onClick={onClose}>{m.controls.keep}</Button>
        <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
