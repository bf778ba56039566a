import { useState } from 'react';
import type { ChannelDetailsJson, ChannelRowJson } from '../../../src/wire/dashboard/channel-output.ts';
import { post, remove } from '../../app/api.ts';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Question } from '../../ui/question.tsx';
import { tell } from '../../ui/toasts.tsx';
import { channelPath, useChannelAct, useChannelTest } from './queries.ts';
import { TestAnswer } from './test-answer.tsx';

const words = m.integrations.sheet;

/** What can be done with a saved integration. */
export function ChannelActs({
  project,
  channel,
  onClose,
}: {
  readonly project: string;
  readonly channel: ChannelRowJson;
  readonly onClose: () => void;
}) {
  const [isDeleting, setIsDeleting] = useState(false);
  const path = channelPath(project, channel.id);
  const name = shownName(channel);
  const isOff = channel.off !== null;
  const test = useChannelTest(project, channel.id);
  const flip = useChannelAct(
    project,
    () => post<ChannelDetailsJson>(`${path}/${isOff ? 'enable' : 'disable'}`),
    ({ off }) => tell(off === null ? words.enabled(name) : words.disabled(name)),
  );
  const deletion = useChannelAct(
    project,
    () => remove(path),
    () => {
      tell(words.deleted(name));
      onClose();
    },
  );
  const error = test.error ?? flip.error;
  return (
    <div className="grid gap-6">
      <div className="flex flex-wrap gap-4">
        <Button size="small" isBusy={test.isPending} onClick={() => test.mutate()}>
          {m.integrations.test.sendTest}
        </Button>
        <Button size="small" isBusy={flip.isPending} onClick={() => flip.mutate()}>
          {isOff ? words.enable : words.disable}
        </Button>
        <Button size="small" kind="danger" onClick={() => setIsDeleting(true)}>
          {words.delete}
        </Button>
      </div>
      {test.data !== undefined && <TestAnswer result={test.data} />}
      {error !== null && <ErrorText>{error.message}</ErrorText>}
      {isDeleting && (
        <Question
          title={words.deleteTitle(name)}
          action={words.delete}
          error={deletion.error?.message ?? null}
          isBusy={deletion.isPending}
          onConfirm={() => deletion.mutate()}
          onClose={() => setIsDeleting(false)}
        >
          {words.deleteLead(channel.checks)}
        </Question>
      )}
    </div>
  );
}
