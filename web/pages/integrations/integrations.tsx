import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { shownName } from '../../app/channel-names.ts';
import { query } from '../../app/read.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Note } from '../../ui/note.tsx';
import { Page, PageHead } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Catalogue } from './catalogue.tsx';
import { ChannelRow } from './channel-row.tsx';
import { ChannelSheet } from './channel-sheet.tsx';
import type { Channel } from './queries.ts';

const words = m.integrations;

/** The integrations of a project, and whether alerts arrive. */
export function Integrations() {
  const project = useProject();
  const { data } = useSuspenseQuery(query.channelOverview({ project: project.uuid }));
  const isWriter = mayWrite(project);
  const params = { project: project.uuid };
  const open = useParams({
    from: '/signed-in/projects/$project/integrations/$channel',
    shouldThrow: false,
  })?.channel;
  const navigate = useNavigate();
  const close = () => void navigate({ to: '/projects/$project/integrations/', params, resetScroll: false });
  return (
    <Page title={words.name} project={project}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-6 max-md:px-4 max-md:py-4.5">
        <div className="flex flex-wrap items-end gap-4">
          <div className="min-w-0 flex-1 basis-[220px]">
            <PageHead title={words.name} lead={words.lead} />
          </div>
          {isWriter && (
            <ButtonLink kind="primary" to="/projects/$project/integrations/" params={params} hash="add">
              <Plus className="size-4" />
              {words.add}
            </ButtonLink>
          )}
        </div>
        {data.channels.length === 0 ? (
          <Note kind="down">
            <b className="font-semibold text-ink">{words.none}</b>{' '}
            {isWriter ? words.noneLead : words.noneReadOnly}{' '}
            <DocsLink path="alerts/">{m.docs.alerts}</DocsLink>
          </Note>
        ) : (
          <>
            <FailingNote channels={data.channels} />
            <ChannelTable channels={data.channels} checks={data.checks} isWriter={isWriter} />
          </>
        )}
        {isWriter && (
          <div className="pt-3">
            <Catalogue project={project.uuid} />
          </div>
        )}
      </div>
      {open !== undefined && (
        <ChannelSheet
          key={open}
          project={project.uuid}
          channel={data.channels.find(({ id }) => id === open) ?? null}
          isWriter={isWriter}
          onClose={close}
        />
      )}
    </Page>
  );
}

function FailingNote({ channels }: { readonly channels: readonly Channel[] }) {
  const failing = channels.filter(({ health }) => health === 'failing');
  if (failing.length === 0) return null;
  return (
    <Note kind="late">
      <b className="font-semibold text-ink">{words.failing.title(failing.length)}</b>{' '}
      {failing
        .map((channel) =>
          channel.isLeftBehind
            ? words.failing.leftBehind(shownName(channel))
            : words.failing.one(shownName(channel), channel.lastError),
        )
        .join(' ')}
    </Note>
  );
}

function ChannelTable({
  channels,
  checks,
  isWriter,
}: {
  readonly channels: readonly Channel[];
  readonly checks: number;
  readonly isWriter: boolean;
}) {
  const { columns } = words;
  return (
    <Table
      label={words.name}
      columns={Object.values(columns)}
      extra={[columns.strip, columns.checks, columns.events]}
      hasActions={isWriter}
    >
      {channels.map((channel) => (
        <ChannelRow key={channel.id} channel={channel} checks={checks} isWriter={isWriter} />
      ))}
    </Table>
  );
}
