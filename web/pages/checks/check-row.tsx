import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { memo, type ReactNode, use } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { ageText, spanText } from '../../../src/lib/text/ages.ts';
import type {
  AheadJson,
  BoardChannelJson,
  CheckDetailsJson,
  CheckRowJson,
  ToldJson,
} from '../../../src/views/board-json.ts';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { Chip } from '../../ui/chip.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Menu, MenuItem, MenuLine, MenuLink } from '../../ui/menu.tsx';
import { RunPointer } from '../../ui/run-pointer.tsx';
import { RunStrip } from '../../ui/run-strip.tsx';
import { Sentence, useSentenceText } from '../../ui/sentence.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { Ago, ClockTime, PersonsTimes, Since, Until } from '../../ui/time.tsx';
import { cityOf } from '../../ui/times.ts';
import { notReachedParts } from './answer-words.ts';
import { type DetailStore, useDetails } from './board.ts';
import { ChannelNames, ChannelTiles, channelName } from './channels.tsx';
import { StaysDown } from './stays-down.tsx';
import { isSilent, isTroubled, statusOf } from './view.ts';

/** Rows are grids. Elements of tables would lose their meaning by that, so each has a role. */
export const ROLES = {
  table: { role: 'table', 'aria-label': m.checks.name },
  row: { role: 'row' },
  cell: { role: 'cell' },
} as const;

export const tableOf = (rowCount: number) => ({ ...ROLES.table, 'aria-rowcount': rowCount });

const placed = (place: number) => ({ ...ROLES.row, 'aria-rowindex': place + 1 });

const STRIP_RUNS = 30;
const MAX_TAGS = 2;

export interface RowActions {
  readonly open: (row: CheckRowJson) => void;
  readonly pause: (row: CheckRowJson) => void;
  readonly resume: (row: CheckRowJson) => void;
  readonly copyUrl: (row: CheckRowJson) => void;
  readonly ping: (row: CheckRowJson) => void;
  readonly toggleChannel: (row: CheckRowJson, channel: BoardChannelJson, isOn: boolean) => void;
  readonly select: (row: CheckRowJson, isRange: boolean) => void;
}

/** The name of a check in an address. People who may not ping do not know its UUID. */
export const refOf = ({ uuid, key }: CheckRowJson): string => uuid ?? key;

export const labelOf = ({ name }: CheckRowJson): string => name || m.checks.unnamed;

/** A check in the list. In trouble it opens up and tells its story. */
export const CheckRow = memo(function CheckRow({
  item,
  place,
  row,
  store,
  channels,
  actions,
  reminder,
  projectName,
  hasDurations,
  isSelected,
  isSelecting,
  onOpenPing,
}: {
  readonly item: string;
  /** Among all rows, from 1. */
  readonly place: number;
  readonly row: CheckRowJson;
  readonly store: DetailStore;
  readonly channels: readonly BoardChannelJson[];
  /** Null for people who may not change checks. */
  readonly actions: RowActions | null;
  /** When the person is reminded of checks that are down. */
  readonly reminder: string | null;
  /** In the list over all projects. */
  readonly projectName: string | null;
  readonly hasDurations: boolean;
  readonly isSelected: boolean;
  readonly isSelecting: boolean;
  readonly onOpenPing: (row: CheckRowJson, n: number) => void;
}) {
  const details = useDetails(store, row.key);
  const isTrouble = isTroubled(row);
  const kind = !isTrouble
    ? isSilent(row)
      ? 'row-silent'
      : ''
    : row.status === 'down'
      ? 'row-bad'
      : row.status === 'late' || row.neverCame
        ? 'row-bad row-late'
        : 'row-bad row-busy';
  return (
    <div
      {...placed(place)}
      className={`check-row ${kind} ${isSelected ? 'row-selected' : ''}`}
      data-item={item}
      data-key={row.key}
    >
      <div {...ROLES.cell} className="check-row__status">
        {actions !== null && (
          <label className={isSelecting ? 'row-box row-box-shown' : 'row-box'}>
            <input
              type="checkbox"
              checked={isSelected}
              aria-label={m.checks.row.select(labelOf(row))}
              onChange={() => {}}
              onClick={(event) => actions.select(row, event.shiftKey)}
            />
          </label>
        )}
        <Status row={row} details={details} />
      </div>
      <Name row={row} projectName={projectName} />
      <Last row={row} details={details} onOpenPing={onOpenPing} />
      {hasDurations && (
        <div {...ROLES.cell} className="check-row__durations">
          {details !== undefined && <Sparkline durations={details.runs.durations} {...details.durations} />}
        </div>
      )}
      <div {...ROLES.cell} className="check-row__runs">
        {details !== undefined && (
          <RunPointer runs={details.runs} slots={STRIP_RUNS}>
            <RunStrip runs={details.runs} slots={STRIP_RUNS} />
          </RunPointer>
        )}
      </div>
      <Next row={row} pausedUntil={details?.pausedUntil} />
      <div {...ROLES.cell} className="check-row__channels">
        {row.status !== 'down' && <ChannelNames row={row} channels={channels} />}
        <ChannelTiles
          row={row}
          channels={channels}
          failed={row.status === 'down' ? notReached(details?.told ?? []).map(({ channel }) => channel) : []}
          onToggle={actions && ((channel, isOn) => actions.toggleChannel(row, channel, isOn))}
        />
      </div>
      <div {...ROLES.cell} className="check-row__menu">
        <RowMenu row={row} actions={actions} />
      </div>
      {!isTrouble && details?.recovery != null && (
        <div {...ROLES.cell} className="check-row__why pb-1.5 text-12 text-ink-2">
          <Glyph shape="missed" className="mr-1.5 inline size-3" />
          <Sentence parts={details.recovery.sentence} />{' '}
          <Sentence
            parts={[
              m.checks.row.toldOf(
                details.recovery.told.map(({ channel, of }) => ({
                  name: channelName(channels, channel),
                  of,
                })),
              ),
            ]}
          />
        </div>
      )}
      {isTrouble && <Story row={row} details={details} channels={channels} reminder={reminder} />}
    </div>
  );
});

function Status({
  row,
  details,
}: {
  readonly row: CheckRowJson;
  readonly details: CheckDetailsJson | undefined;
}) {
  const sentence = useSentenceText(details?.sentence);
  const isRunning = row.running && row.status === 'up';
  return (
    <>
      <StatusPill
        status={isRunning ? 'running' : statusOf(row)}
        {...(sentence !== undefined && { sentence })}
      />
      {row.running && !isRunning && <span className="row-running">{m.checks.row.runningNow}</span>}
    </>
  );
}

function Name({ row, projectName }: { readonly row: CheckRowJson; readonly projectName: string | null }) {
  const hidden = row.tags.length - MAX_TAGS;
  const style = use(PersonsTimes);
  return (
    <div {...ROLES.cell} className="check-row__name">
      <div className="check-row__line">
        <Link to="/checks/$check/details/" params={{ check: refOf(row) }} className="row-link">
          {labelOf(row)}
        </Link>
        {projectName !== null && row.project !== undefined && (
          <Link
            to="/projects/$project/checks/"
            params={{ project: row.project }}
            className="row-project touch"
          >
            {projectName}
          </Link>
        )}
        {row.tags.slice(0, MAX_TAGS).map((tag) => (
          <Chip key={tag}>{tag}</Chip>
        ))}
        {hidden > 0 && (
          <span title={row.tags.slice(MAX_TAGS).join(' ')}>
            <Chip>{m.checks.row.moreTags(hidden)}</Chip>
          </span>
        )}
      </div>
      <div className="check-row__detail">
        {row.schedule}
        {row.tz !== null && (row.tz !== 'UTC' || style.tz !== 'UTC') && ` · ${cityOf(row.tz)}`}
      </div>
    </div>
  );
}

function Last({
  row,
  details,
  onOpenPing,
}: {
  readonly row: CheckRowJson;
  readonly details: CheckDetailsJson | undefined;
  readonly onOpenPing: (row: CheckRowJson, n: number) => void;
}) {
  const n = details?.runs.n.findLast((one) => one !== null) ?? null;
  const opened = (words: ReactNode) =>
    n === null ? (
      words
    ) : (
      <button
        type="button"
        className="row-ping"
        title={m.checks.row.openPing(labelOf(row))}
        onClick={() => onOpenPing(row, n)}
      >
        {words}
      </button>
    );
  if (row.running && row.started !== null) {
    return (
      <div {...ROLES.cell} className="check-row__last-ping">
        <div className="check-row__line">
          {opened(
            <>
              {m.checks.row.started} <Ago at={row.started} />
            </>,
          )}
        </div>
        <div className="check-row__detail">
          <ClockTime at={row.started} />
          {details?.usual != null && <span>· {m.checks.row.usually(ageText(micros(details.usual)))}</span>}
        </div>
      </div>
    );
  }
  if (row.lastPing === null) {
    return (
      <div {...ROLES.cell} className="check-row__last-ping">
        <div className="check-row__line">{row.ready ? m.checks.row.ready : m.checks.row.never}</div>
        <div className="check-row__detail">{row.ready ? m.checks.row.waits : m.checks.row.noPing}</div>
      </div>
    );
  }
  return (
    <div {...ROLES.cell} className="check-row__last-ping">
      <div className="check-row__line">{opened(<Ago at={row.lastPing} />)}</div>
      <div className="check-row__detail">
        <ClockTime at={row.lastPing} />
        {row.lastDuration !== null && <span>· {spanText(micros(row.lastDuration))}</span>}
      </div>
    </div>
  );
}

function Next({
  row: { next, status, since },
  pausedUntil,
}: {
  readonly row: CheckRowJson;
  readonly pausedUntil: CheckDetailsJson['pausedUntil'] | undefined;
}) {
  const { row: words } = m.checks;
  const cell = (first: ReactNode, second: ReactNode, className = '') => (
    <div {...ROLES.cell} className="check-row__next">
      <div className={`check-row__line ${className}`}>{first}</div>
      <div className="check-row__detail">{second}</div>
    </div>
  );
  const wasDue = (at: string) => (
    <>
      {words.wasDue} <ClockTime at={at} />
    </>
  );
  if (status === 'down') {
    const comes =
      next?.kind === 'due' ? (
        <>
          {words.nextRun} <ClockTime at={next.at} />
        </>
      ) : (
        next && wasDue(next.at)
      );
    return cell(
      <>
        {words.downFor} <Since at={since} />
      </>,
      comes,
      'over',
    );
  }
  // An open run that is late has a limit, too. When it was due says more.
  const event = next?.kind === 'limit' && status === 'late' ? ({ kind: 'late', at: since } as const) : next;
  switch (event?.kind) {
    case 'due':
      return cell(<Until at={event.at} />, <ClockTime at={event.at} />);
    case 'late':
      return cell(
        <>
          {words.lateBy} <Since at={event.at} />
        </>,
        wasDue(event.at),
        'soon',
      );
    case 'overdue':
      return cell(
        <>
          {words.overdue} <Since at={event.at} />
        </>,
        wasDue(event.at),
        'soon',
      );
    case 'limit':
      return cell(
        <>
          {words.mustFinish} <ClockTime at={event.at} />
        </>,
        <Until at={event.at} />,
      );
    default:
      return cell(pausedUntil && words.staysPaused, pausedUntil && words.pausedUntil[pausedUntil]);
  }
}

function Story({
  row,
  details,
  channels,
  reminder,
}: {
  readonly row: CheckRowJson;
  readonly details: CheckDetailsJson | undefined;
  readonly channels: readonly BoardChannelJson[];
  readonly reminder: string | null;
}) {
  const cause = details?.cause;
  return (
    <>
      <div {...ROLES.cell} className="check-row__why">
        <div className="check-row__story">
          {cause == null ? (
            ' '
          ) : (
            <>
              <b>
                <Sentence parts={cause.head} />
              </b>{' '}
              <Sentence parts={cause.rest} />
              {cause.line !== null && (
                <>
                  {' '}
                  {m.checks.row.lastLine} <code>{cause.line}</code>
                </>
              )}
            </>
          )}
        </div>
        {row.status === 'down' && <Trace told={details?.told ?? []} row={row} channels={channels} />}
      </div>
      <div {...ROLES.cell} className="check-row__when">
        {details?.ahead.map((event) => (
          <div key={Object.values(event).join(' ')}>
            <Ahead event={event} row={row} channels={channels} reminder={reminder} />
          </div>
        ))}
      </div>
    </>
  );
}

const TOLD_SHAPES: Readonly<Record<ToldJson['state'], Shape>> = {
  delivered: 'up',
  waiting: 'waiting',
  retrying: 'retrying',
  given_up: 'down',
  off: 'off',
};

const notReached = (told: readonly ToldJson[]) =>
  told.filter(({ state }) => state === 'retrying' || state === 'given_up');

/** The integrations that were told about the trouble, and those that were not. */
function Trace({
  told,
  row,
  channels,
}: {
  readonly told: readonly ToldJson[];
  readonly row: CheckRowJson;
  readonly channels: readonly BoardChannelJson[];
}) {
  const isOn = channels.some(({ uuid, isOff }) => !isOff && row.channels.includes(uuid));
  if (!isOn && told.every(({ state }) => state === 'off'))
    return (
      <div className="trace trace-nobody">
        <Glyph shape="late" className="size-3.5" />
        {row.channels.length === 0 ? m.checks.row.toldNobody : m.checks.row.toldNobodyOff}
      </div>
    );
  const delivered = told.filter(({ state }) => state === 'delivered');
  const failed = notReached(told);
  const others = told.filter(({ state }) => state === 'waiting' || state === 'off');
  const mark = ({ state }: ToldJson) => (
    <Glyph shape={TOLD_SHAPES[state]} label={m.checks.row.states[state]} className="size-3" />
  );
  return (
    <>
      <div className="trace">
        {delivered.length > 0 && <span className="trace__label">{m.checks.row.told}</span>}
        {delivered.map((one) => (
          <span key={one.channel}>
            {mark(one)}
            {channelName(channels, one.channel)}
            <span className="trace-time">{one.at !== null && <ClockTime at={one.at} hasSeconds />}</span>
          </span>
        ))}
        {others.map((one) => (
          <span key={one.channel}>
            {mark(one)}
            {channelName(channels, one.channel)}
            <span className="trace-time">{m.checks.row.states[one.state]}</span>
          </span>
        ))}
      </div>
      {failed.length > 0 && (
        <div className="trace trace-failed">
          <span className="trace__label">{m.checks.row.notReached}</span>
          {failed.map((one) => (
            <span key={one.channel}>
              {mark(one)}
              <span>
                <Sentence parts={notReachedParts(one, channelName(channels, one.channel))} />
              </span>
            </span>
          ))}
        </div>
      )}
    </>
  );
}

function Ahead({
  event,
  row: { channels: assigned },
  channels,
  reminder,
}: {
  readonly event: AheadJson;
  readonly row: CheckRowJson;
  readonly channels: readonly BoardChannelJson[];
  readonly reminder: string | null;
}) {
  const { row } = m.checks;
  switch (event.kind) {
    case 'goes_down':
      return (
        <>
          <b>
            <ClockTime at={event.at} />
          </b>{' '}
          {row.goesDown(
            channels.filter(({ uuid, isOff }) => !isOff && assigned.includes(uuid)).map(shownName),
          )}
        </>
      );
    case 'retry':
      return (
        <>
          <b>
            <ClockTime at={event.at} />
          </b>{' '}
          {row.retry(channelName(channels, event.channel))}
        </>
      );
    case 'first_ping':
      return row.firstPing;
    case 'stays_down':
      return <StaysDown {...event} reminder={reminder} />;
    default:
      return event satisfies never;
  }
}

function RowMenu({ row, actions }: { readonly row: CheckRowJson; readonly actions: RowActions | null }) {
  const { menu } = m.checks;
  const params = { check: refOf(row) };
  return (
    <Menu
      className="row-menu"
      label={m.checks.row.more(labelOf(row))}
      button={<Ellipsis className="size-4" />}
    >
      <MenuLink to="/checks/$check/details/" params={params}>
        {menu.open}
      </MenuLink>
      {actions !== null && (
        <>
          <MenuLink to="/checks/$check/edit/" params={params}>
            {menu.edit}
          </MenuLink>
          {row.status === 'paused' ? (
            <MenuItem onSelect={() => actions.resume(row)}>{m.checkActs.menu.resume}</MenuItem>
          ) : (
            <MenuItem onSelect={() => actions.pause(row)}>{m.checkActs.menu.pause}</MenuItem>
          )}
          <MenuItem onSelect={() => actions.copyUrl(row)}>{menu.copyUrl}</MenuItem>
          <MenuItem onSelect={() => actions.ping(row)}>{menu.ping}</MenuItem>
          <MenuLine />
          <MenuItem onSelect={() => actions.select(row, false)}>{menu.select}</MenuItem>
        </>
      )}
    </Menu>
  );
}
