import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, type FormEvent, type ReactNode, use, useState } from 'react';
import { ApiError } from '../app/api.ts';
import { m } from '../messages/index.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { ErrorText } from './error-text.tsx';
import { Field } from './field.tsx';
import { FormContext, useFieldError, useFormError } from './form-state.ts';

export interface FormProps<Answer> {
  /** Sends the values of the fields, by their names. */
  readonly send: (values: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly done?: (answer: Answer) => void;
  /** A fault of the values that something else has found, such as a test before they are sent. */
  readonly fault?: Error | null;
  /** Whether it can be sent again after success. Otherwise it stays busy, because the page goes elsewhere. */
  readonly isKept?: boolean;
  /** Whether only the server tells missing values. Otherwise the browser asks for fields that are required. */
  readonly noValidate?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/**
 * A form that sends its values. Its fields show the errors of the server. `FormError` shows the rest, and `Submit` is
 * busy meanwhile.
 */
export function Form<Answer>({
  send,
  done,
  fault = null,
  isKept = false,
  noValidate = false,
  className = 'grid gap-3',
  children,
}: FormProps<Answer>) {
  const [form, setForm] = useState<HTMLFormElement | null>(null);
  const [sentBy, setSentBy] = useState<string | null>(null);
  const { mutate, isPending, isSuccess, ...sending } = useMutation({
    mutationFn: send,
    ...(done !== undefined && { onSuccess: done }),
  });
  const error = sending.error ?? fault;
  const field = error instanceof ApiError ? error.field : null;
  const names = Array.from(form?.elements ?? [], (one) => one.getAttribute('name'));
  const isOfField = field !== null && names.includes(field);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const button = (event.nativeEvent as SubmitEvent).submitter;
    const values = new FormData(event.currentTarget, button);
    setSentBy(button?.getAttribute('value') ?? null);
    // The forms have no files.
    mutate(Object.fromEntries(values) as Record<string, string>);
  };
  return (
    <FormContext
      value={{
        isBusy: isPending || (isSuccess && !isKept),
        sentBy,
        errorOf: (name) => (isOfField && name === field ? (error?.message ?? null) : null),
        otherError: isOfField ? null : (error?.message ?? null),
      }}
    >
      <form ref={setForm} className={className} onSubmit={onSubmit} noValidate={noValidate}>
        {children}
      </form>
    </FormContext>
  );
}

/** The error of a field that is not a single control. Its name is the name of a `fieldset`. */
export function FieldError({ name }: { readonly name: string }) {
  return <ErrorText>{useFieldError(name)}</ErrorText>;
}

export function FormError() {
  return <ErrorText>{useFormError()}</ErrorText>;
}

/** If a form has several, each has a name and a value, which are sent with the fields. */
export function Submit(props: Omit<ComponentProps<typeof Button>, 'type' | 'isBusy'>) {
  const { isBusy, sentBy } = use(FormContext);
  const isSender = props.value === undefined || props.value === sentBy;
  return (
    <Button
      kind="primary"
      {...props}
      type="submit"
      disabled={isBusy || props.disabled}
      isBusy={isBusy && isSender}
    />
  );
}

interface DialogOfForm<Answer> extends FormProps<Answer> {
  readonly title: string;
  /** The word on the button that sends it. */
  readonly action: string;
  /** The word on the button that closes it. Null if only the cross of the dialog does. */
  readonly refuse?: string | null;
  /** A button for another thing to do with the same values. */
  readonly other?: ReactNode;
  /** Whether something is lost by it. */
  readonly isDangerous?: boolean;
  /** Whether the button is off, because something has to be filled in. */
  readonly isIncomplete?: boolean;
  /** Whether it cannot be closed now. */
  readonly mustStay?: boolean;
  /** Whether it stays after success: the page goes elsewhere, or the dialog shows the result. */
  readonly staysOpen?: boolean;
  readonly onClose: () => void;
}

/** A form in a dialog, with its two buttons. It closes after success. */
export function FormDialog<Answer>({
  title,
  action,
  isDangerous = false,
  refuse = isDangerous ? m.controls.keep : m.controls.cancel,
  isIncomplete = false,
  other,
  mustStay = false,
  staysOpen = false,
  done,
  onClose,
  children,
  ...form
}: DialogOfForm<Answer>) {
  return (
    <Dialog title={title} mustStay={mustStay} onClose={onClose}>
      <Form
        {...form}
        done={(answer) => {
          done?.(answer);
          if (!staysOpen) onClose();
        }}
      >
        {children}
        <FormError />
        <DialogActions>
          {refuse !== null && (
            <Button data-changes-nothing onClick={onClose}>
              {refuse}
            </Button>
          )}
          {other}
          <Submit kind={isDangerous ? 'danger' : 'primary'} disabled={isIncomplete}>
            {action}
          </Submit>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

interface Confirmation<Answer> extends Omit<DialogOfForm<Answer>, 'send' | 'isDangerous' | 'isIncomplete'> {
  readonly run: () => Promise<Answer>;
  /** The name that has to be typed first, for things that people would miss. */
  readonly typedName?: string;
}

/** Asks before an act that cannot be taken back. The children tell the loss. */
export function ConfirmDialog<Answer>({ run, typedName = '', children, ...dialog }: Confirmation<Answer>) {
  const [typed, setTyped] = useState('');
  return (
    <FormDialog {...dialog} send={run} isDangerous isIncomplete={typed !== typedName}>
      <div className="text-13 text-ink-2">{children}</div>
      {typedName !== '' && (
        <Field
          label={m.controls.typeName(typedName)}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
