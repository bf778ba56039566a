import { post } from '../app/api.ts';
import { nextPath, open } from '../app/next.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-text.tsx';
import { Field } from '../ui/field.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { useForm } from './use-form.ts';

/** Null when the person is signed in. Otherwise a second factor is asked for. */
export type SignInAnswer = { readonly pending: string } | null;

const CODE_LENGTH = 6;

export function SecondFactor({ pending }: { readonly pending: string }) {
  const form = useForm(
    ({ code = '' }) => post('/sign-in/second-factor', { pending, code: code.trim() }),
    () => open(nextPath(location.search)),
  );
  return (
    <EntrancePage title={m.secondFactor.title} lead={m.secondFactor.lead}>
      <form className="grid gap-8" onSubmit={form.onSubmit} noValidate>
        <Field
          label={m.fields.code}
          name="code"
          autoComplete="one-time-code"
          autoFocus
          className="font-mono tracking-[.2em]"
          error={form.errorOf('code')}
          onChange={({ currentTarget: { value } }) => {
            if (/^\d+$/.test(value) && value.length === CODE_LENGTH) form.send({ code: value });
          }}
        />
        {form.otherError('code') !== null && <ErrorText>{form.otherError('code')}</ErrorText>}
        <Button type="submit" kind="primary" size="large" isBusy={form.isBusy}>
          {m.secondFactor.submit}
        </Button>
      </form>
    </EntrancePage>
  );
}
