import { type ReactNode, useState } from 'react';
import { m } from '../messages/index.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { ErrorText } from './error-text.tsx';
import { Field } from './field.tsx';

/** Asks for the name of what is deleted, for what people would miss. */
export function TypedNameDialog({
  title,
  name,
  action,
  error,
  isBusy,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  readonly name: string;
  /** The word on the button. */
  readonly action: string;
  readonly error: string | null;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** What is lost, and for how long it can be undone. */
  readonly children: ReactNode;
}) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === name) onConfirm();
        }}
      >
        <div className="text-13 text-ink-2">{children}</div>
        <Field
          label={m.controls.typeName(name)}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.keep}</Button>
          <Button kind="danger" type="submit" isBusy={isBusy} disabled={typed !== name}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
