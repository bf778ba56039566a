import { useQuery } from '@tanstack/react-query';
import type { ChannelDetailsJson, ChannelRowJson } from '../../../src/wire/dashboard/channel-output.ts';
import { post } from '../../app/api.ts';
import { shownName } from '../../app/channel-names.ts';
import { faultsOf } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { tell } from '../../ui/toasts.tsx';
import { channelPath, kindsQuery, useChannelAct } from './queries.ts';

const words = m.integrations.confirmation;

/** What is left to do before anything is sent to an integration that its recipient has not confirmed. */
export function Confirmation({
  project,
  channel,
}: {
  readonly project: string;
  readonly channel: ChannelRowJson;
}) {
  const { data } = useQuery(kindsQuery(project));
  const by = data?.kinds.find(({ kind }) => kind === channel.kind)?.confirmed_by ?? null;
  if (channel.health !== 'unconfirmed' || by === null) return null;
  return (
    <Card title={words.title}>
      {by === 'code' ? (
        <CodeForm {...{ project, channel }} />
      ) : (
        <div className="grid gap-6">
          <p className="text-12 wrap-anywhere text-ink-2">{words.linkLead(channel.target)}</p>
          <div className="flex flex-wrap gap-4">
            <AskAgain {...{ project, channel, by }} />
          </div>
        </div>
      )}
    </Card>
  );
}

function CodeForm({ project, channel }: { readonly project: string; readonly channel: ChannelRowJson }) {
  const { mutate, error, isPending } = useChannelAct(
    project,
    (code: string) => post<ChannelDetailsJson>(`${channelPath(project, channel.id)}/confirm`, { code }),
    () => tell(words.done(shownName(channel))),
  );
  const { errorOf, otherError } = faultsOf(error);
  const fault = otherError('code');
  return (
    <form
      className="grid gap-6"
      onSubmit={(event) => {
        event.preventDefault();
        mutate(String(new FormData(event.currentTarget).get('code')));
      }}
    >
      <p className="text-12 text-ink-2 wrap-anywhere">{words.codeLead(channel.target)}</p>
      <Field
        label={words.code}
        name="code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        className="font-mono tracking-[.2em]"
        maxLength={20}
        error={errorOf('code')}
      />
      {fault !== null && <ErrorText>{fault}</ErrorText>}
      <div className="flex flex-wrap gap-4">
        <Button kind="primary" size="small" type="submit" isBusy={isPending}>
          {words.submit}
        </Button>
        <AskAgain {...{ project, channel }} by="code" />
      </div>
    </form>
  );
}

/** Another mail or code for a recipient who has not confirmed yet. */
function AskAgain({
  project,
  channel,
  by,
}: {
  readonly project: string;
  readonly channel: ChannelRowJson;
  readonly by: 'link' | 'code';
}) {
  const ask = useChannelAct(
    project,
    () => post(`${channelPath(project, channel.id)}/confirmation`),
    () => tell(words.asked[by]),
  );
  return (
    <>
      <Button size="small" isBusy={ask.isPending} onClick={() => ask.mutate()}>
        {words.again[by]}
      </Button>
      {ask.error !== null && <ErrorText>{ask.error.message}</ErrorText>}
    </>
  );
}
