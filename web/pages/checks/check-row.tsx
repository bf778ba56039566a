import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { memo, type ReactNode, use } from 'react';
import { isTrouble, type Trouble } from '../../../src/domain/history/standing.ts';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { ageText, spanText } from '../../../src/lib/text/ages.ts';
import type {
  AheadJson,
  AnswerJson,
  BoardChannelJson,
  CheckDetailsJson,
  CheckRowJson,
  ToldChannelJson,
  ToldJson,
} from '../../../src/views/board-json.ts';
import { AcknowledgeIcon, type SnoozeChoice, SnoozeMenu } from '../../acts/answers.tsx';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Menu, MenuItem, MenuLine, MenuLink } from '../../ui/menu.tsx';
import { RunPointer } from '../../ui/run-pointer.tsx';
import { RunStrip } from '../../ui/run-strip.tsx';
import { Sentence, useSentenceText } from '../../ui/sentence.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { StatusPill, shownStatus } from '../../ui/status-pill.tsx';
import { Ago, ClockTime, PersonsTimes, Since, Until } from '../../ui/time.tsx';
import { cityOf } from '../../ui/times.ts';
import { notReachedParts, whoAtStart } from './answer-words.ts';
import { type DetailStore, useDetails } from './board.ts';
import { ChannelNames, ChannelTiles, channelName } from './channels.tsx';
import { StaysDown } from './stays-down.tsx';
import { isSilent, isTroubled, isUnanswered } from './view.ts';

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
  readonly acknowledge: (row: CheckRowJson) => void;
  readonly takeBack: (row: CheckRowJson) => void;
  readonly snooze: (row: CheckRowJson, choice: SnoozeChoice) => void;
  readonly endSnooze: (row: CheckRowJson) => void;
  /** Asks for how long. */
  readonly askSnooze: (row: CheckRowJson, first: 'hour' | 'until') => void;
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
  const isOpen = isTroubled(row);
  const kind = isTrouble(row.standing) ? LOOKS[row.standing] : isSilent(row) ? 'row-silent' : '';
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
        {row.status !== 'down' && (
          <ChannelNames row={row} channels={channels} byRule={details?.toldByRule ?? null} />
        )}
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
      {!isOpen && !isSilent(row) && details?.recovery != null && (
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
      {isOpen && (
        <Story row={row} details={details} channels={channels} reminder={reminder} actions={actions} />
      )}
    </div>
  );
});

const LOOKS: Readonly<Record<Trouble, string>> = {
  down: 'row-bad',
  held: 'row-bad row-taken',
  acknowledged: 'row-bad row-taken',
  late: 'row-bad row-late',
  never_came: 'row-bad row-late',
  slow: 'row-bad row-busy',
};

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
        status={shownStatus(isRunning ? 'running' : row.neverCame ? 'never_came' : row.status, row.answer)}
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
  row: { next, status, since, standing, answer },
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
  if (standing === 'silent' && answer !== null) {
    const downFor = status === 'down' && (
      <>
        {words.downFor} <Since at={since} />
      </>
    );
    const { kind, by, until } = answer;
    const name = kind === 'quiet' || by === null ? by : words.by(by);
    const rest = downFor || (until !== null && <Until at={until} />);
    return cell(
      until === null ? (
        m.statuses[kind === 'quiet' ? 'quiet' : 'snoozed']
      ) : (
        <>
          {words.silentUntil} <ClockTime at={until} />
        </>
      ),
      <>
        {rest}
        {rest && name !== null && ' · '}
        {name}
      </>,
    );
  }
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
  actions,
}: {
  readonly row: CheckRowJson;
  readonly details: CheckDetailsJson | undefined;
  readonly channels: readonly BoardChannelJson[];
  readonly reminder: string | null;
  readonly actions: RowActions | null;
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
        {row.status === 'down' && (
          <>
            {row.answer !== null && <AnswerLine answer={row.answer} />}
            <Trace
              told={details?.told ?? []}
              row={row}
              channels={channels}
              isTelling={details?.ahead.some(({ kind }) => TELLING.includes(kind)) ?? false}
            />
          </>
        )}
        {actions !== null && isUnanswered(row) && <RowAnswers row={row} actions={actions} />}
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

/** Who has the outage, or what it waits for. */
function AnswerLine({ answer: { kind, by, at, badRuns } }: { readonly answer: AnswerJson }) {
  const { row } = m.checks;
  return (
    <div className="trace">
      <span>
        <Glyph shape={kind === 'waiting' ? 'waiting' : kind} className="size-3" />
        {kind === 'acknowledged' && row.has(by === null ? null : whoAtStart(by))}
        {kind === 'held' && row.waitsFor(by, at !== null)}
        {kind === 'waiting' && (badRuns === undefined ? row.notToldYet : row.badRuns(badRuns))}
        {(kind === 'acknowledged' || kind === 'held') && at !== null && (
          <ClockTime at={at} className="trace-time" />
        )}
      </span>
    </div>
  );
}

/** Large enough for a finger. */
const ANSWER = 'row-answer pointer-coarse:h-11 pointer-coarse:px-3.5 max-md:h-11! max-md:px-3.5!';

function RowAnswers({ row, actions }: { readonly row: CheckRowJson; readonly actions: RowActions }) {
  const { menu } = m.checkActs;
  return (
    <div className="row-answers">
      <Button
        size="small"
        className={ANSWER}
        aria-label={`${menu.acknowledge} ${labelOf(row)}`}
        onClick={() => actions.acknowledge(row)}
      >
        <AcknowledgeIcon />
        {menu.acknowledge}
      </Button>
      <SnoozeMenu
        label={`${menu.snooze} ${labelOf(row)}`}
        className={`quiet-button inline-flex items-center gap-1.5 ${ANSWER}`}
        onSnooze={(choice) => actions.snooze(row, choice)}
        onDate={() => actions.askSnooze(row, 'until')}
      />
    </div>
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

/** Events in which somebody is told of an outage. */
const TELLING: readonly AheadJson['kind'][] = ['tells', 'again', 'then'];

/** The integrations that were told about the trouble, and those that were not. */
function Trace({
  told,
  row,
  channels,
  isTelling,
}: {
  readonly told: readonly ToldChannelJson[];
  readonly row: CheckRowJson;
  readonly channels: readonly BoardChannelJson[];
  /** Whether somebody will be told. */
  readonly isTelling: boolean;
}) {
  const isOn = channels.some(({ uuid, isOff }) => !isOff && row.channels.includes(uuid));
  if (!isOn && !isTelling && told.every(({ state }) => state === 'off'))
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
      {(row.answer === null || delivered.length + others.length > 0) && (
        <div className="trace">
          {delivered.length > 0 && <span className="trace__label">{m.checks.row.told}</span>}
          {delivered.map((one) => (
            <span key={one.channel}>
              {mark(one)}
              {channelName(channels, one.channel)}
              <span className="trace-time">{one.at !== null && <ClockTime at={one.at} hasSeconds />}</span>
              {one.again !== null && (
                <span className="trace-time">
                  {m.checks.row.toldAgainAt} <ClockTime at={one.again} />
                </span>
              )}
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
      )}
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
          {event.tells === null
            ? row.goesDownFirst
            : row.goesDown(
                event.tells?.map((uuid) => channelName(channels, uuid)) ?? toldOf(channels, assigned),
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
    case 'tells':
      return (
        <>
          <b>
            <ClockTime at={event.at} />
          </b>{' '}
          {row.tellsThen(
            event.channels.map((uuid) => channelName(channels, uuid)),
            event.misses,
          )}
        </>
      );
    case 'again':
    case 'then':
      return (
        <>
          <b>
            <ClockTime at={event.at} />
          </b>{' '}
          {row[event.kind](event.channels.map((uuid) => channelName(channels, uuid)))}
        </>
      );
    case 'until':
      return (
        <>
          <b>
            <ClockTime at={event.at} />
          </b>{' '}
          {row.answerEnds[event.of]}
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

/** The integrations that are told of a check, by name. */
const toldOf = (channels: readonly BoardChannelJson[], assigned: readonly string[]): string[] =>
  channels.filter(({ uuid, isOff }) => !isOff && assigned.includes(uuid)).map(shownName);

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
          <AnswerItems row={row} actions={actions} />
          <MenuItem onSelect={() => actions.copyUrl(row)}>{menu.copyUrl}</MenuItem>
          <MenuItem onSelect={() => actions.ping(row)}>{menu.ping}</MenuItem>
          <MenuLine />
          <MenuItem onSelect={() => actions.select(row, false)}>{menu.select}</MenuItem>
        </>
      )}
    </Menu>
  );
}

function AnswerItems({ row, actions }: { readonly row: CheckRowJson; readonly actions: RowActions }) {
  const { menu } = m.checkActs;
  const { status, answer } = row;
  return (
    <>
      {answer?.kind === 'acknowledged' && (
        <MenuItem onSelect={() => actions.takeBack(row)}>{menu.takeBack}</MenuItem>
      )}
      {isUnanswered(row) && <MenuItem onSelect={() => actions.acknowledge(row)}>{menu.acknowledge}</MenuItem>}
      {status !== 'paused' && (
        <MenuItem onSelect={() => actions.askSnooze(row, 'hour')}>{menu.snooze}…</MenuItem>
      )}
      {answer?.kind === 'snoozed' && (
        <MenuItem onSelect={() => actions.endSnooze(row)}>{menu.endSnooze}</MenuItem>
      )}
    </>
  );
}
