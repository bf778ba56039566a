import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../../app/api.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { EntrancePage } from './entrance-page.tsx';

/** The owner of an address confirms that alerts may be sent to it. Opening the page does nothing: scanners open links, too. */
export function ConfirmRecipient() {
  const [isDone, setDone] = useState(false);
  const { channel, token } = useParams({ from: '/entrance/integrations/$channel/verify/$token' });
  const form = useForm(
    () => post(`/integrations/${channel}/verify`, { token }),
    () => setDone(true),
  );
  if (isDone)
    return (
      <EntrancePage title={m.confirmRecipient.doneTitle} lead={m.confirmRecipient.done}>
        {null}
      </EntrancePage>
    );
  const error = form.otherError();
  return (
    <EntrancePage title={m.confirmRecipient.title} lead={m.confirmRecipient.lead}>
      {error !== null && <ErrorText>{error}</ErrorText>}
      <Button kind="primary" size="large" isBusy={form.isBusy} onClick={() => form.send({})}>
        {m.confirmRecipient.submit}
      </Button>
    </EntrancePage>
  );
}
