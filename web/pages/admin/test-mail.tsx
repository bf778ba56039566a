import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ActAnswer, act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, Submit } from '../../ui/form.tsx';
import { Note } from '../../ui/note.tsx';

const t = m.admin.mail;

/** Sends a mail, and shows the answer of the mail server. */
export function TestMail() {
  const { data: session } = useSuspenseQuery(query.signedIn());
  const [result, setResult] = useState<ActAnswer<'sendTestMail'> | null>(null);
  const send = async ({ email = '' }) => {
    setResult(null);
    return act.sendTestMail({ email }).catch((error: Error) => ({ error: error.message }));
  };
  return (
    <Card title={t.title} lead={t.lead}>
      <Form send={send} done={setResult} isKept>
        <div className="flex max-w-[460px] items-end gap-2">
          <div className="min-w-0 flex-1">
            <Field label={t.to} name="email" type="email" required defaultValue={session.account.email} />
          </div>
          <Submit kind="plain" size="large">
            {t.send}
          </Submit>
        </div>
        <div aria-live="polite">
          {result !== null &&
            (result.error === null ? (
              <Note kind="up">{t.accepted}</Note>
            ) : (
              <Note kind="down">{t.refused(result.error)}</Note>
            ))}
        </div>
      </Form>
    </Card>
  );
}
