import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { shownName } from '../../app/channel-names.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { tell } from '../../ui/toasts.tsx';
import { ButtonTrouble } from './button-field.tsx';
import { ChannelActs } from './channel-acts.tsx';
import { ChannelForm } from './channel-form.tsx';
import { CheckAssignment } from './check-assignment.tsx';
import { Confirmation } from './confirmation.tsx';
import { Deliveries } from './deliveries.tsx';
import { changesOf, draftOf } from './draft.ts';
import { HealthPill } from './health-pill.tsx';
import { type Channel, kindsQuery } from './queries.ts';

const words = m.integrations.sheet;

type View = 'deliveries' | 'checks' | 'settings';

interface SheetProps {
  readonly project: string;
  readonly channel: Channel;
  readonly isWriter: boolean;
  readonly onClose: () => void;
}

/** Everything about one integration. */
export function ChannelSheet({
  channel,
  ...rest
}: Omit<SheetProps, 'channel'> & {
  /** Null: it is not there, or no longer. */
  readonly channel: Channel | null;
}) {
  return (
    <Dialog
      shape="sheet"
      title={channel === null ? words.missing : shownName(channel)}
      onClose={rest.onClose}
    >
      {channel === null ? (
        <Blank title={words.missing}>{words.missingLead}</Blank>
      ) : (
        <Content channel={channel} {...rest} />
      )}
    </Dialog>
  );
}

function Content({ project, channel, isWriter, onClose }: SheetProps) {
  const [view, setView] = useState<View>('deliveries');
  const views: readonly View[] = isWriter ? ['deliveries', 'checks', 'settings'] : ['deliveries'];
  const { id, kind, label, target, health, off, buttons } = channel;
  const kinds = useQuery({ ...kindsQuery(project), enabled: isWriter && buttons !== 'none' });
  const shown = kinds.data?.kinds.find((one) => one.kind === kind)?.buttons ?? null;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <HealthPill health={health} />
        <span className="min-w-0 text-12 wrap-anywhere text-ink-3">
          {label} · {target}
        </span>
      </div>
      {off !== null && (
        <p className="text-12 wrap-anywhere text-ink-2">
          {off.text}
          {off.error !== '' && `: ${off.error}`}
        </p>
      )}
      {shown?.needsTaps && shown.trouble !== null && <ButtonTrouble text={shown.trouble} />}
      {isWriter && <Confirmation {...{ project, channel }} />}
      {isWriter && <ChannelActs {...{ project, channel, onClose }} />}
      <Tabs
        label={words.views}
        tabs={views.map((name) => ({ name, label: words.tabs[name] }))}
        open={view}
        onOpen={setView}
      >
        {view === 'deliveries' && <Deliveries {...{ project, isWriter }} channel={id} />}
        {view === 'checks' && <CheckAssignment {...{ project }} channel={id} />}
        {view === 'settings' && <Edit {...{ project, channel }} onDone={() => setView('deliveries')} />}
      </Tabs>
    </>
  );
}

function Edit({
  project,
  channel,
  onDone,
}: {
  readonly project: string;
  readonly channel: Channel;
  readonly onDone: () => void;
}) {
  // The form begins with the saved values of now, not with older ones.
  const details = useQuery({ ...query.channelDetails({ project, channel: channel.id }), gcTime: 0 });
  const kinds = useQuery(kindsQuery(project));
  const error = details.error ?? kinds.error;
  if (error !== null) return <ErrorText>{error.message}</ErrorText>;
  const kind = kinds.data?.kinds.find((one) => one.kind === channel.kind);
  if (details.data === undefined || kind === undefined) return <Skeleton className="h-30" />;
  return (
    <ChannelForm
      {...{ project, kind }}
      channel={details.data}
      start={draftOf(kind, details.data)}
      save={(draft, saved) => act.editChannel({ project, channel: channel.id, ...changesOf(saved, draft) })}
      onCancel={onDone}
      onSaved={({ notAsked: error }) => {
        tell(error === null ? words.saved : m.integrations.setUp.notAsked(error));
        onDone();
      }}
    />
  );
}
