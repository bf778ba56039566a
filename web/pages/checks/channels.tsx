import { Bell, Hash, Mail, Send, Smartphone, Users, Webhook } from 'lucide-react';
import type { BoardChannelJson, CheckRowJson } from '../../../src/wire/dashboard/check-board-output.ts';
import { m } from '../../messages/index.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';

const ICONS = {
  email: Mail,
  webhook: Webhook,
  slack: Hash,
  telegram: Send,
  pushover: Smartphone,
  group: Users,
} as const;

const isKnown = (kind: string): kind is keyof typeof ICONS => Object.hasOwn(ICONS, kind);

/** The picture of a kind of integration. */
export function ChannelIcon({ kind }: { readonly kind: string }) {
  const Icon = isKnown(kind) ? ICONS[kind] : Bell;
  return <Icon className="size-6 flex-none" strokeWidth={1.5} aria-hidden="true" />;
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const nameOf = ({ name, kind }: BoardChannelJson): string => name || capitalised(kind);

export function channelName(channels: readonly BoardChannelJson[], uuid: string): string {
  const channel = channels.find((one) => one.uuid === uuid);
  return channel === undefined ? m.checks.filters.integration : nameOf(channel);
}

/** Places for pictures in a row. */
const MAX_TILES = 3;
/** From here on, a number says more than pictures. */
const MAX_PICTURES = 10;

/** Who is told of a check. Whoever may change that clicks on it. */
export function ChannelTiles({
  row,
  channels,
  onToggle,
}: {
  readonly row: CheckRowJson;
  readonly channels: readonly BoardChannelJson[];
  /** Null for whoever may not change it. */
  readonly onToggle: ((channel: BoardChannelJson, isOn: boolean) => void) | null;
}) {
  const assigned = channels.filter(({ uuid }) => row.channels.includes(uuid));
  const label = (channel: BoardChannelJson) =>
    row.channels.includes(channel.uuid)
      ? m.checks.row.assigned(nameOf(channel))
      : m.checks.row.notAssigned(nameOf(channel));
  if (onToggle === null) {
    return assigned.slice(0, MAX_TILES).map((channel) => (
      <span key={channel.uuid} className="tile" title={label(channel)}>
        <ChannelIcon kind={channel.kind} />
        <span className="sr-only">{label(channel)}</span>
      </span>
    ));
  }
  if (channels.length <= MAX_TILES) {
    return channels.map((channel) => (
      <button
        key={channel.uuid}
        type="button"
        className={row.channels.includes(channel.uuid) ? 'tile' : 'tile tile-off'}
        title={label(channel)}
        aria-label={nameOf(channel)}
        aria-pressed={row.channels.includes(channel.uuid)}
        onClick={() => onToggle(channel, !row.channels.includes(channel.uuid))}
      >
        <ChannelIcon kind={channel.kind} />
      </button>
    ));
  }
  const count = m.checks.row.someOf(assigned.length, channels.length);
  return (
    <Menu
      className="tiles-menu"
      label={`${m.checks.filters.integration}: ${count}`}
      button={
        channels.length > MAX_PICTURES || assigned.length === 0 ? (
          <span className="text-12 text-ink-2">{count}</span>
        ) : (
          assigned.slice(0, MAX_TILES).map((channel) => (
            <span key={channel.uuid} className="tile" title={label(channel)}>
              <ChannelIcon kind={channel.kind} />
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
            icon={<ChannelIcon kind={channel.kind} />}
            onSelect={() => onToggle(channel, !isOn)}
          >
            {isOn ? m.checks.bulk.unassign(nameOf(channel)) : m.checks.bulk.assign(nameOf(channel))}
          </MenuItem>
        );
      })}
    </Menu>
  );
}
