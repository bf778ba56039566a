import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Card } from '../../ui/card.tsx';
import { Segments } from '../../ui/segments.tsx';
import { type Draft, draftBody } from './draft.ts';
import type { ChannelDetails, ChannelKind } from './queries.ts';

const words = m.integrations.setUp;

/** Typing asks for no preview. */
const PAUSE_MS = 400;

/** The messages that can be seen before they are sent. */
const SHOWN_EVENTS = ['down_timeout', 'down_fail', 'up'] as const;

/** The messages that the settings of the form would send. */
export function Preview({
  project,
  kind,
  channel,
  draft,
}: {
  readonly project: string;
  readonly kind: ChannelKind;
  readonly channel: ChannelDetails | null;
  readonly draft: Draft;
}) {
  const [event, setEvent] = useState<(typeof SHOWN_EVENTS)[number]>('down_timeout');
  const [asked, setAsked] = useState<Draft | null>(null);
  const part = useRef<HTMLDivElement>(null);
  // A stored value may be missing here. Not every control tells the browser that something is.
  const isMissing =
    channel === null && kind.fields.some((one) => one.isRequired && draft.settings[one.name] === null);
  useEffect(() => {
    // A form that the browser would not send has no message yet.
    const isComplete = !isMissing && part.current?.closest('form')?.checkValidity();
    const timer = setTimeout(() => setAsked(isComplete ? draft : null), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, isMissing]);
  const { data, error } = useQuery({
    ...query.channelPreview({ project, ...draftBody(kind, channel, asked ?? draft), event }),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
    retry: false,
    // Secrets are in the key.
    gcTime: 0,
  });
  return (
    <Card title={words.preview}>
      <div ref={part} className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <Segments
          label={words.previewOf}
          choices={SHOWN_EVENTS.map((one) => ({ value: one, label: words.previewEvents[one] }))}
          value={event}
          onChange={setEvent}
        />
        {error !== null && asked !== null && <p className="text-12 text-ink-2">{error.message}</p>}
        {error === null && asked !== null && data !== undefined && <Messages preview={data} />}
        {asked === null && <p className="text-12 text-ink-3">{words.previewLater}</p>}
      </div>
    </Card>
  );
}

function Messages({ preview }: { readonly preview: Answer<'channelPreview'> }) {
  const { requests, mails, channels, error, about } = preview;
  if (requests.length + mails.length + channels.length === 0)
    return <p className="text-12 text-ink-2">{error === '' ? words.previewNothing : error}</p>;
  return (
    <>
      <p className="text-12 wrap-anywhere text-ink-2">
        {about === null ? words.previewSample : words.previewAbout(about)}
      </p>
      {requests.map(({ method, url, headers, body }) => (
        <Text key={`${method} ${url}`} head={`${method} ${url}`}>
          {[...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body].join('\n')}
        </Text>
      ))}
      {mails.map(({ to, subject, text }) => (
        <Text key={to} head={words.previewTo(to)} title={subject}>
          {text}
        </Text>
      ))}
      {channels.length > 0 && <p className="text-12 text-ink-2">{words.previewMembers(channels.length)}</p>}
    </>
  );
}

function Text({
  head,
  title,
  children,
}: {
  readonly head: string;
  readonly title?: string;
  readonly children: string;
}) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5 rounded-control border border-line bg-sunken p-3">
      <p className="text-12 wrap-anywhere text-ink-3">{head}</p>
      {title !== undefined && <p className="text-13 font-semibold">{title}</p>}
      <pre className="font-mono text-11 wrap-anywhere whitespace-pre-wrap text-ink-2">{children}</pre>
    </div>
  );
}
