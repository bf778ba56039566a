import type { BoardChannelJson, CheckRowJson } from '../../../src/views/board-json.ts';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { KindMark } from '../../ui/kind-mark.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';

/** The picture of a kind of integration. */
export function ChannelIcon({ channel: { kind, label } }: { readonly channel: BoardChannelJson }) {
  return (
    <span className="grid min-w-3 place-items-center text-[9px]/none">
      <KindMark {...{ kind, label }} className="size-3" />
    </span>
  );
}

export function channelName(channels: readonly BoardChannelJson[], uuid: string): string {
  const channel = channels.find((one) => one.uuid === uuid);
  return channel === undefined ? m.checks.filters.integration : shownName(channel);
}

/** The integrations that are told about a check, by their names. For phones, where pictures have no room for an explanation. */
export function ChannelNames({
  row,
  channels,
  byRule,
}: {
  readonly row: CheckRowJson;
  readonly channels: readonly BoardChannelJson[];
  /** Those that a rule tells, by their UUIDs. Null: that is not known yet. */
  readonly byRule: readonly string[] | null;
}) {
  const told = row.channels.length === 0 ? byRule : row.channels;
  const names = channels.filter(({ uuid }) => told?.includes(uuid)).map(shownName);
  const words = names.length === 0 ? m.checks.row.tellsNobody : m.checks.row.tells(names);
  return <span className="channel-names">{told === null ? '\u00a0' : words}</span>;
}

/** Places for pictures in a row. */
const MAX_TILES = 3;
/** From here on, a number says more than pictures. */
const MAX_PICTURES = 10;

/** The integrations that are told about a check. People who may change that click on it. */
export function ChannelTiles({
  row,
  channels,
  failed,
  onToggle,
}: {
  readonly row: CheckRowJson;
  readonly channels: readonly BoardChannelJson[];
  /** Those that were not reached about the present outage. */
  readonly failed: readonly string[];
  /** Null for people who may not change it. */
  readonly onToggle: ((channel: BoardChannelJson, isOn: boolean) => void) | null;
}) {
  const assigned = channels.filter(({ uuid }) => row.channels.includes(uuid));
  const label = (channel: BoardChannelJson) => {
    if (failed.includes(channel.uuid)) return m.checks.row.wasNotReached(shownName(channel));
    return row.channels.includes(channel.uuid)
      ? m.checks.row.assigned(shownName(channel))
      : m.checks.row.notAssigned(shownName(channel));
  };
  const look = ({ uuid }: BoardChannelJson) => {
    if (!row.channels.includes(uuid)) return 'tile tile-off';
    return failed.includes(uuid) ? 'tile tile-failed' : 'tile';
  };
  if (onToggle === null) {
    const rest = assigned.slice(MAX_TILES);
    const restNames = rest.map(label).join(', ');
    return (
      <>
        {assigned.slice(0, MAX_TILES).map((channel) => (
          <span key={channel.uuid} className={look(channel)} title={label(channel)}>
            <ChannelIcon channel={channel} />
            <span className="sr-only">{label(channel)}</span>
          </span>
        ))}
        {rest.length > 0 && (
          <span className="text-12 text-ink-2" title={restNames}>
            {m.checks.row.moreTags(rest.length)}
            <span className="sr-only">{restNames}</span>
          </span>
        )}
      </>
    );
  }
  if (channels.length <= MAX_TILES) {
    return channels.map((channel) => (
      <button
        key={channel.uuid}
        type="button"
        className={look(channel)}
        title={label(channel)}
        aria-label={shownName(channel)}
        aria-pressed={row.channels.includes(channel.uuid)}
        onClick={() => onToggle(channel, !row.channels.includes(channel.uuid))}
      >
        <ChannelIcon channel={channel} />
      </button>
    ));
  }
  const count = m.checks.row.someOf(assigned.length, channels.length);
  return (
    <Menu
      className="tiles-menu"
      label={m.checks.row.integrations(count, assigned.map(label))}
      button={
        channels.length > MAX_PICTURES || assigned.length === 0 ? (
          <span className="text-12 text-ink-2">{count}</span>
        ) : (
          assigned.slice(0, MAX_TILES).map((channel) => (
            <span key={channel.uuid} className={look(channel)} title={label(channel)}>
              <ChannelIcon channel={channel} />
            </span>
          ))
        )
      }
    >
      {channels.map((channel) => {
        const isOn = row.channels.includes(channel.uuid);
        return (
          <MenuItem
            key={channel.uuid}
            icon={<ChannelIcon channel={channel} />}
            onSelect={() => onToggle(channel, !isOn)}
          >
            {isOn ? m.checks.bulk.unassign(shownName(channel)) : m.checks.bulk.assign(shownName(channel))}
          </MenuItem>
        );
      })}
    </Menu>
  );
}
