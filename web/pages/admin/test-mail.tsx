import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { post } from '../../app/api.ts';
import { sessionQuery } from '../../app/queries.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Note } from '../../ui/note.tsx';

const t = m.admin.mail;

/** Sends a mail, and shows what the mail server said. */
export function TestMail() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [email, setEmail] = useState(session.account.email);
  const test = useMutation({
    mutationFn: () => post<{ readonly error: string | null }>('/admin/test-mail', { email }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.mutate();
  };
  const refusal = test.data?.error ?? test.error?.message ?? null;
  return (
    <Card title={t.title} lead={t.lead}>
      <form className="grid gap-6" onSubmit={submit}>
        <div className="flex max-w-[460px] items-end gap-4">
          <div className="min-w-0 flex-1">
            <Field
              label={t.to}
              type="email"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </div>
          <Button type="submit" size="large" isBusy={test.isPending}>
            {t.send}
          </Button>
        </div>
        <div aria-live="polite">
          {refusal !== null && <Note kind="down">{t.refused(refusal)}</Note>}
          {refusal === null && test.isSuccess && <Note kind="up">{t.accepted}</Note>}
        </div>
      </form>
    </Card>
  );
}
