import { useParams } from '@tanstack/react-router';
import { actOnce } from '../../app/act.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { EntrancePage } from './entrance-page.tsx';

/** The owner of an address confirms that alerts may be sent to it. Opening the page does nothing: scanners open links, too. */
export function ConfirmRecipient() {
  const { channel, token } = useParams({ from: '/entrance/integrations/$channel/verify/$token' });
  const confirm = useShownAct(actOnce.confirmRecipient);
  if (confirm.answer !== undefined)
    return (
      <EntrancePage title={m.confirmRecipient.doneTitle} lead={m.confirmRecipient.done}>
        {null}
      </EntrancePage>
    );
  return (
    <EntrancePage title={m.confirmRecipient.title} lead={m.confirmRecipient.lead}>
      <Refusal error={confirm.error} />
      <Button
        kind="primary"
        size="large"
        isBusy={confirm.isBusy}
        onClick={() => confirm.run({ channel, token })}
      >
        {m.confirmRecipient.submit}
      </Button>
    </EntrancePage>
  );
}
