import { useQuery } from '@tanstack/react-query';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { shownName } from '../../app/channel-names.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { tell } from '../../ui/toasts.tsx';
import { type Channel, kindsQuery } from './queries.ts';

const words = m.integrations.confirmation;

/** The step before anything is sent to an integration that its recipient has not confirmed. */
export function Confirmation({ project, channel }: { readonly project: string; readonly channel: Channel }) {
  const { data } = useQuery(kindsQuery(project));
  const by = data?.kinds.find(({ kind }) => kind === channel.kind)?.confirmedBy ?? null;
  if (channel.health !== 'unconfirmed' || by === null) return null;
  return (
    <Card title={words.title}>
      {by === 'code' ? (
        <CodeForm {...{ project, channel }} />
      ) : (
        <div className="grid gap-3">
          <p className="text-12 wrap-anywhere text-ink-2">{words.linkLead(channel.target)}</p>
          <div className="flex flex-wrap gap-2">
            <AskAgain {...{ project, channel, by }} />
          </div>
        </div>
      )}
    </Card>
  );
}

function CodeForm({ project, channel }: { readonly project: string; readonly channel: Channel }) {
  return (
    <Form
      isKept
      send={({ code = '' }) => act.confirmChannel({ project, channel: channel.id, code })}
      done={() => tell(words.done(shownName(channel)))}
    >
      <p className="text-12 text-ink-2 wrap-anywhere">{words.codeLead(channel.target)}</p>
      <Field
        label={words.code}
        name="code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        className="font-mono tracking-[.2em]"
        maxLength={TEXT_LIMITS.confirmationCode}
      />
      <FormError />
      <div className="flex flex-wrap gap-2">
        <Submit size="small">{words.submit}</Submit>
        <AskAgain {...{ project, channel }} by="code" />
      </div>
    </Form>
  );
}

/** Another mail or code for a recipient who has not confirmed yet. */
function AskAgain({
  project,
  channel,
  by,
}: {
  readonly project: string;
  readonly channel: Channel;
  readonly by: 'link' | 'code';
}) {
  const ask = useShownAct(act.askRecipient, () => tell(words.asked[by]));
  return (
    <>
      <Button size="small" isBusy={ask.isBusy} onClick={() => ask.run({ project, channel: channel.id })}>
        {words.again[by]}
      </Button>
      <Refusal error={ask.error} />
    </>
  );
}
