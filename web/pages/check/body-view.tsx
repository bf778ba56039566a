import { useQuery } from '@tanstack/react-query';
import { Download, WrapText } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { ROOT } from '../../app/api.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-field.tsx';
import { Note } from '../../ui/note.tsx';
import { Segments } from '../../ui/segments.tsx';
import { plainLine, styledLines, type Tone } from './ansi.ts';
import { Marked } from './events.tsx';
import { type JsonPiece, jsonLines } from './json-layout.ts';
import { diffLines } from './line-diff.ts';
import { type PingBody, pingQuery, type ShownPing } from './queries.ts';

type Present = Extract<PingBody, { readonly state: 'present' }>;
type View = 'terminal' | 'pretty' | 'plain' | 'raw' | 'text' | 'html';

const VIEWS: Readonly<Record<Present['type'], readonly View[]>> = {
  terminal: ['terminal', 'plain', 'raw'],
  json: ['pretty', 'raw'],
  text: ['plain', 'raw'],
  email: ['text', 'html', 'raw'],
  binary: [],
};

interface Props {
  readonly name: string;
  readonly ping: ShownPing;
  /** The searched text, in lower case. */
  readonly words: string;
  /** Whether only the end of a long body is shown, until somebody asks for all of it. */
  readonly isShort?: boolean;
}

/** The body of a ping, in the form in which it can be read. Nothing of it is run or loaded. */
export function BodyView(props: Props) {
  const { body, n } = props.ping;
  const words = m.check.ping;
  if (body.state === 'none') return <p className="text-ink-3">{words.none}</p>;
  const size = m.check.events.bytes(body.size);
  if (body.state === 'gone') return <p className="text-ink-3">{words.gone(size)}</p>;
  if (body.state === 'unavailable') return <Unavailable {...props} />;
  return <PresentBody key={n} {...props} body={body} />;
}

function Unavailable({ name, ping }: Props) {
  const { refetch, isFetching } = useQuery({ ...pingQuery(name, ping.n), enabled: false });
  return (
    <Note
      kind="late"
      action={
        <Button size="small" isBusy={isFetching} onClick={() => void refetch()}>
          {m.check.ping.again}
        </Button>
      }
    >
      {m.check.ping.unavailable}
    </Note>
  );
}

function PresentBody({ name, ping, words, body, isShort = false }: Props & { readonly body: Present }) {
  const texts = m.check.ping;
  const views = VIEWS[body.type].filter(
    (view) => (view !== 'html' || body.mail?.hasHtml) && (view !== 'raw' || body.lines !== null),
  );
  const [view, setView] = useState<View>(views[0] ?? 'raw');
  const [isWrapped, setIsWrapped] = useState(true);
  const [isComparing, setIsComparing] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  const [isCut, setIsCut] = useState(isShort);
  const whole = useQuery({ ...pingQuery(name, ping.n, true), enabled: isWhole });
  const shown = whole.data?.body.state === 'present' ? whole.data.body : body;
  const lines = linesOf(shown, view);
  const skipped = (view === 'text' ? shown.mail?.text : shown.lines)?.skipped ?? 0;
  const size = m.check.events.bytes(body.size);
  return (
    <div className="grid min-w-0 gap-3">
      {views.length > 0 && (
        <div className="flex flex-wrap items-center gap-2.5">
          <Segments
            label={texts.view}
            choices={views.map((value) => ({ value, label: texts.views[value] }))}
            value={view}
            onChange={setView}
          />
          <span className="ml-auto text-12 text-ink-3">
            {lines !== null && `${texts.lines(lines.total)} · `}
            {size}
          </span>
          <Button
            kind="ghost"
            size="smallIcon"
            aria-label={texts.wrap}
            aria-pressed={isWrapped}
            onClick={() => setIsWrapped(!isWrapped)}
          >
            <WrapText className="size-4" />
          </Button>
        </div>
      )}
      {body.isFull && <Note kind="late">{texts.isFull}</Note>}
      {body.mail !== null && <MailHead mail={body.mail} />}
      {isComparing ? (
        <Comparison name={name} ping={ping} body={shown} />
      ) : view === 'html' ? (
        <iframe
          title={texts.frame}
          sandbox=""
          src={`${ROOT}/dashboard/api/checks/${name}/pings/${ping.n}/html`}
          className="h-[420px] w-full rounded-control border border-line bg-white"
        />
      ) : body.type === 'binary' ? (
        <p className="text-ink-2">{texts.binary(size)}</p>
      ) : lines === null ? (
        <p className="text-ink-3">{texts.mail.noText}</p>
      ) : (
        <Lines isWrapped={isWrapped} height={isCut ? 'short' : isShort ? 'whole' : 'screen'}>
          {lines.first.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their number
            <Line key={at} number={at + 1}>
              <Line.Pieces pieces={line} words={words} />
            </Line>
          ))}
          {skipped > 0 && (
            <button
              type="button"
              className="px-3 py-1.5 text-left text-12 text-link"
              onClick={() => setIsWhole(true)}
            >
              {texts.skipped(skipped)}
            </button>
          )}
          {lines.last.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their number
            <Line key={at} number={lines.total - lines.last.length + at + 1}>
              <Line.Pieces pieces={line} words={words} />
            </Line>
          ))}
        </Lines>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {isCut && lines !== null && lines.total > SHORT_LINES && (
          <Button
            onClick={() => {
              setIsCut(false);
              setIsWhole(skipped > 0);
            }}
          >
            {texts.showAll(lines.total)}
          </Button>
        )}
        {(body.type !== 'email' || body.lines !== null) && (
          <a
            href={`${ROOT}/dashboard/api/checks/${name}/pings/${ping.n}/body`}
            download
            className="touch inline-flex h-8 items-center gap-1.5 rounded-control border border-line-2 bg-surface px-3 font-medium shadow-1 hover:bg-sunken max-md:h-10"
          >
            <Download className="size-4 text-ink-3" />
            {texts.download}
          </a>
        )}
        {shown.lines !== null && skipped === 0 && (
          <CopyButton text={shown.lines.first.join('\n')} label={texts.copy} />
        )}
        {ping.lastGood !== null && body.lines !== null && (
          <Button kind="ghost" onClick={() => setIsComparing(!isComparing)}>
            {isComparing ? texts.stopComparing : texts.compare}
          </Button>
        )}
      </div>
    </div>
  );
}

interface Piece {
  readonly text: string;
  readonly className: string;
}

interface ShownLines {
  readonly total: number;
  readonly first: readonly (readonly Piece[])[];
  readonly last: readonly (readonly Piece[])[];
}

const TONES: Readonly<Record<NonNullable<Tone>, string>> = {
  red: 'text-down',
  green: 'text-up',
  yellow: 'text-late',
  blue: 'text-run',
  grey: 'text-ink-3',
};

const JSON_KINDS: Readonly<Record<JsonPiece['kind'], string>> = {
  key: 'text-ink-3',
  text: 'text-up',
  number: 'text-run',
  mark: '',
};

const unstyled = (text: string): Piece[] => [{ text, className: '' }];

function linesOf(body: Present, view: View): ShownLines | null {
  const lines = view === 'text' ? (body.mail?.text ?? null) : body.lines;
  if (lines === null) return null;
  const { first, last, total } = lines;
  if (view === 'pretty') {
    const pretty = jsonLines(first.join('\n')).map((line) =>
      line.map(({ text, kind }) => ({ text, className: JSON_KINDS[kind] })),
    );
    return { total: pretty.length, first: pretty, last: [] };
  }
  if (view === 'raw') return { total, first: first.map(unstyled), last: last.map(unstyled) };
  if (view !== 'terminal') {
    return {
      total,
      first: first.map((line) => unstyled(plainLine(line))),
      last: last.map((line) => unstyled(plainLine(line))),
    };
  }
  const styled = styledLines([...first, ...last]).map((line) =>
    line.map(({ text, tone, isBold }) => ({
      text,
      className: `${tone === null ? '' : TONES[tone]} ${isBold ? 'font-semibold' : ''}`,
    })),
  );
  return { total, first: styled.slice(0, first.length), last: styled.slice(first.length) };
}

/** Lines that fit into a short view. */
const SHORT_LINES = 13;

const HEIGHTS = { short: 'max-h-64', screen: 'max-h-[60dvh]', whole: '' };

function Lines({
  isWrapped,
  height = 'screen',
  children,
}: {
  readonly isWrapped: boolean;
  readonly height?: keyof typeof HEIGHTS;
  readonly children: ReactNode;
}) {
  const part = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // Trouble stands at the end.
    if (height === 'short') part.current?.scrollTo(0, part.current.scrollHeight);
  }, [height]);
  return (
    <section
      ref={part}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      aria-label={m.check.ping.body}
      className={`body-lines overflow-auto ${HEIGHTS[height]} rounded-control border border-line bg-sunken py-2 font-mono text-12 leading-4.5 ${
        isWrapped ? '[overflow-wrap:anywhere] whitespace-pre-wrap' : 'whitespace-pre'
      }`}
    >
      <div className={`grid ${isWrapped ? '' : 'w-max min-w-full'}`}>{children}</div>
    </section>
  );
}

function Line({
  number,
  className = '',
  children,
}: {
  readonly number: number | null;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <div className={`flex gap-3 px-3 ${className}`}>
      {number !== null && (
        <span aria-hidden="true" className="w-7 flex-none text-right text-ink-3 select-none">
          {number}
        </span>
      )}
      <span className="min-w-0">{children}</span>
    </div>
  );
}

Line.Pieces = function Pieces({
  pieces,
  words,
}: {
  readonly pieces: readonly Piece[];
  readonly words: string;
}) {
  return pieces.map(({ text, className }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
    <span key={at} className={className}>
      <Marked text={text} words={words} />
    </span>
  ));
};

function MailHead({ mail }: { readonly mail: NonNullable<Present['mail']> }) {
  const words = m.check.ping.mail;
  const facts = [
    [words.from, mail.from],
    [words.to, mail.to],
    [words.subject, mail.subject],
    [words.date, mail.date],
    [
      words.attachments,
      mail.attachments
        .map(({ name, size }) => `${name || m.check.ping.unnamedFile} (${m.check.events.bytes(size)})`)
        .join(', '),
    ],
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-12">
      {facts.map(
        ([label, value]) =>
          value !== '' && (
            <div key={label} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-ink-3">{label}</dt>
              <dd className="[overflow-wrap:anywhere]">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const DIFF_LOOKS = { same: '', added: 'bg-up-t', removed: 'bg-down-t line-through' } as const;
const DIFF_MARKS = { same: ' ', added: '+', removed: '−' } as const;

/** The differences from the last success. */
function Comparison({
  name,
  ping,
  body,
}: {
  readonly name: string;
  readonly ping: ShownPing;
  readonly body: Present;
}) {
  const good = useQuery(pingQuery(name, ping.lastGood ?? 0, true));
  const words = m.check.ping;
  const old = good.data?.body;
  if (old === undefined) return null;
  const oldLines = old.state === 'present' ? [...(old.lines?.first ?? []), ...(old.lines?.last ?? [])] : [];
  const nowLines = [...(body.lines?.first ?? []), ...(body.lines?.last ?? [])];
  const diff = diffLines(oldLines.map(plainLine), nowLines.map(plainLine));
  if (diff === null) return <p className="text-ink-2">{words.tooLong}</p>;
  return (
    <div className="grid min-w-0 gap-2">
      <p className="text-12 text-ink-3">
        {words.comparing(ping.lastGood ?? 0)}
        {diff.every(({ kind }) => kind === 'same') && ` · ${words.same}`}
      </p>
      <Lines isWrapped>
        {diff.map(({ kind, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
          <Line key={at} number={null} className={DIFF_LOOKS[kind]}>
            {DIFF_MARKS[kind]} {text}
          </Line>
        ))}
      </Lines>
    </div>
  );
}
