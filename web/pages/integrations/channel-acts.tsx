import { useState } from 'react';
import { act } from '../../app/act.ts';
import { shownName } from '../../app/channel-names.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { tell } from '../../ui/toasts.tsx';
import type { Channel } from './queries.ts';
import { TestAnswer } from './test-answer.tsx';

const words = m.integrations.sheet;

/** Acts on a saved integration. */
export function ChannelActs({
  project,
  channel,
  onClose,
}: {
  readonly project: string;
  readonly channel: Channel;
  readonly onClose: () => void;
}) {
  const [isDeleting, setIsDeleting] = useState(false);
  const given = { project, channel: channel.id };
  const name = shownName(channel);
  const isOff = channel.off !== null;
  const test = useShownAct(act.testChannel);
  const flip = useShownAct(
    (isOn: boolean) => (isOn ? act.switchChannelOn(given) : act.switchChannelOff(given)),
    (_answer, isOn) => tell(isOn ? words.enabled(name) : words.disabled(name)),
  );
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button size="small" isBusy={test.isBusy} onClick={() => test.run(given)}>
          {m.integrations.test.sendTest}
        </Button>
        <Button size="small" isBusy={flip.isBusy} onClick={() => flip.run(isOff)}>
          {isOff ? words.enable : words.disable}
        </Button>
        <Button size="small" kind="danger" onClick={() => setIsDeleting(true)}>
          {words.delete}
        </Button>
      </div>
      {test.answer !== undefined && <TestAnswer result={test.answer} />}
      <Refusal error={test.error ?? flip.error} />
      {isDeleting && (
        <ConfirmDialog
          title={words.deleteTitle(name)}
          action={words.delete}
          run={() => act.deleteChannel(given)}
          done={() => {
            tell(words.deleted(name));
            onClose();
          }}
          staysOpen
          onClose={() => setIsDeleting(false)}
        >
          {words.deleteLead(channel.checks)}
        </ConfirmDialog>
      )}
    </div>
  );
}
