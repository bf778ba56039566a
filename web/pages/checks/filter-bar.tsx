import { ArrowDownNarrowWide, Ellipsis, LayoutGrid, Plug, Search as SearchIcon, Tag, X } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  startTransition,
  useEffect,
  useOptimistic,
  useRef,
} from 'react';
import type { BoardChannelJson } from '../../../src/views/board-json.ts';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { channelName } from './channels.tsx';
import {
  GROUPINGS,
  NO_CHANNEL,
  SORTS,
  STATUS_FILTERS,
  type StatusFilter,
  type TagCount,
  type View,
} from './view.ts';

const shapeOf = (status: StatusFilter): Shape => (status === 'slow' ? 'running' : status);

/** The pause in typing after which the text goes into the address. */
const TYPED_MS = 300;
interface FilterBarProps {
  readonly view: View;
  readonly total: number;
  readonly counts: Readonly<Record<StatusFilter, number>>;
  readonly tags: readonly TagCount[];
  readonly channels: readonly BoardChannelJson[];
  /** Projects to choose among. */
  readonly projects: readonly { readonly uuid: string; readonly name: string }[];
  readonly searchRef: Ref<HTMLInputElement>;
  readonly q: string;
  readonly onType: (q: string) => void;
  /** `isTyping`: the former address is replaced. */
  readonly onView: (view: View, isTyping?: boolean) => void;
  readonly options: ReactNode;
}

/** These count checks a second time: each of them also has another status. */
const isCountedAgain = (status: StatusFilter) => status === 'running' || status === 'slow';

const toggled = <T,>(list: readonly T[], one: T): T[] =>
  list.includes(one) ? list.filter((other) => other !== one) : [...list, one];

/** The filter of the list. All of it is in the address. */
export function FilterBar(props: FilterBarProps) {
  const { view, total, counts, onView } = props;
  const shown = STATUS_FILTERS.filter(
    (status) => (counts[status] > 0 && status !== 'slow') || view.statuses.includes(status),
  );
  const chip = (status: StatusFilter) => (
    <button
      key={status}
      type="button"
      className="filter-chip"
      data-filter={status}
      aria-pressed={view.statuses.includes(status)}
      onClick={() => onView({ ...view, statuses: toggled(view.statuses, status) })}
    >
      <Glyph shape={shapeOf(status)} className="size-3" />
      {status === 'slow' ? m.checks.filters.slow : m.statuses[status]}{' '}
      <span className="filter-chip__count">{m.grouped(counts[status])}</span>
    </button>
  );
  const again = shown.filter(isCountedAgain);
  return (
    <div className="filters">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend */}
      <div
        className="filter-chips"
        role="group"
        aria-label={m.checks.filters.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: on phones it scrolls
        tabIndex={0}
      >
        <button
          type="button"
          className="filter-chip"
          data-filter=""
          aria-pressed={view.statuses.length === 0}
          onClick={() => onView({ ...view, statuses: [] })}
        >
          {m.checks.filters.all} <span className="filter-chip__count">{m.grouped(total)}</span>
        </button>
        {(shown.length > 1 || view.statuses.length > 0) && (
          <>
            {shown.filter((status) => !isCountedAgain(status)).map(chip)}
            {again.length > 0 && <span className="text-12 text-ink-3">{m.checks.filters.ofThese}</span>}
            {again.map(chip)}
          </>
        )}
        <span className="filter-line" />
        <ProjectFilter {...props} />
        <TagFilter {...props} />
        <ChannelFilter {...props} />
        {view.since !== null && (
          <RemovableChip
            label={m.checks.filters.together}
            onRemove={() => onView({ ...view, since: null })}
          />
        )}
      </div>
      <span className="nowline" />
      <div className="filter-order">
        <SearchBox {...props} />
        <OrderMenu {...props} />
      </div>
    </div>
  );
}

function SearchBox({ view, q, onType, onView, searchRef }: FilterBarProps) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // A click on a filter before the typed words are in the address keeps both.
  const latest = useRef(view);
  useEffect(() => {
    latest.current = view;
  });
  // The box shows a key at once, and the list after it: to draw thousands of checks takes longer.
  const [text, setText] = useOptimistic(q);
  const type = (value: string) => {
    startTransition(() => {
      setText(value);
      onType(value);
    });
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onView({ ...latest.current, q: value }, true), TYPED_MS);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape' && text !== '') {
      event.preventDefault();
      type('');
    } else if (event.key === 'Enter') {
      clearTimeout(timer.current);
      onView({ ...view, q: text });
    }
  };
  return (
    <label className="filter-search touch">
      <SearchIcon className="size-3.5 flex-none text-ink-3" />
      <input
        ref={searchRef}
        type="search"
        value={text}
        placeholder={m.checks.filters.find}
        aria-label={m.checks.filters.findLabel}
        title={m.checks.filters.findHint}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}

function RemovableChip({
  label,
  shape,
  title,
  onRemove,
}: {
  readonly label: string;
  readonly shape?: Shape | undefined;
  readonly title?: string | undefined;
  readonly onRemove: () => void;
}) {
  return (
    <button
      type="button"
      className="filter-chip filter-chip-on"
      title={title}
      aria-label={m.checks.filters.remove(label)}
      onClick={onRemove}
    >
      {shape !== undefined && <Glyph shape={shape} className="size-3" />}
      {label}
      <X className="size-3" />
    </button>
  );
}

const tagShape = ({ down, late }: TagCount): Shape | undefined =>
  down > 0 ? 'down' : late > 0 ? 'late' : undefined;

function tagTitle({ down, late, total }: TagCount): string {
  const { filters } = m.checks;
  if (down > 0) return filters.tagDown(down, total);
  return late > 0 ? filters.tagLate(late, total) : filters.tagFine(total);
}

function TagFilter({ view, tags, onView }: FilterBarProps) {
  if (tags.length === 0 && view.tags.length === 0) return null;
  const others = tags.filter(({ tag }) => !view.tags.includes(tag));
  return (
    <>
      {view.tags.map((tag) => {
        const count = tags.find((one) => one.tag === tag);
        return (
          <RemovableChip
            key={tag}
            label={tag}
            shape={count && tagShape(count)}
            title={count && tagTitle(count)}
            onRemove={() => onView({ ...view, tags: toggled(view.tags, tag) })}
          />
        );
      })}
      {others.length > 0 && (
        <Menu
          className="filter-chip filter-chip-dash"
          button={
            <>
              <Tag className="size-3.5" />
              {m.checks.filters.tag}
              {others.some(({ down }) => down > 0) && (
                <Glyph shape="down" label={m.statuses.down} className="size-3" />
              )}
            </>
          }
        >
          {others.map((count) => {
            const shape = tagShape(count);
            return (
              <MenuItem
                key={count.tag}
                icon={shape === undefined ? <span className="size-3.5" /> : <Glyph shape={shape} />}
                onSelect={() => onView({ ...view, tags: [...view.tags, count.tag] })}
              >
                <span className="min-w-0 flex-1 truncate">{count.tag}</span>
                <span className="text-12 text-ink-3">{tagTitle(count)}</span>
              </MenuItem>
            );
          })}
        </Menu>
      )}
    </>
  );
}

function ProjectFilter({ view, projects, onView }: FilterBarProps) {
  if (projects.length < 2) return null;
  const chosen = projects.find(({ uuid }) => uuid === view.project);
  if (chosen !== undefined)
    return <RemovableChip label={chosen.name} onRemove={() => onView({ ...view, project: null })} />;
  return (
    <Menu
      className="filter-chip filter-chip-dash"
      button={
        <>
          <LayoutGrid className="size-3.5" />
          {m.checks.filters.project}
        </>
      }
    >
      {projects.map(({ uuid, name }) => (
        <MenuItem key={uuid} onSelect={() => onView({ ...view, project: uuid })}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}

function ChannelFilter({ view, channels, onView }: FilterBarProps) {
  if (view.channel !== null) {
    const { filters } = m.checks;
    const name =
      view.channel === NO_CHANNEL
        ? `${filters.integration}: ${filters.noIntegration}`
        : channelName(channels, view.channel);
    return <RemovableChip label={name} onRemove={() => onView({ ...view, channel: null })} />;
  }
  if (channels.length === 0) return null;
  return (
    <Menu
      className="filter-chip filter-chip-dash"
      button={
        <>
          <Plug className="size-3.5" />
          {m.checks.filters.integration}
        </>
      }
    >
      <MenuItem onSelect={() => onView({ ...view, channel: NO_CHANNEL })}>
        {m.checks.filters.noIntegration}
      </MenuItem>
      <MenuLine />
      {channels.map((channel) => (
        <MenuItem key={channel.uuid} onSelect={() => onView({ ...view, channel: channel.uuid })}>
          {shownName(channel)}
        </MenuItem>
      ))}
    </Menu>
  );
}

const SORT_NAMES: Readonly<Record<(typeof SORTS)[number], string>> = {
  attention: m.checks.order.attention,
  name: m.checks.order.name,
  '-name': m.checks.order.nameDown,
  '-last_ping': m.checks.order.last,
  last_ping: m.checks.order.lastDown,
  '-created': m.checks.order.created,
};

const GROUP_NAMES: Readonly<Record<(typeof GROUPINGS)[number], string>> = {
  status: m.checks.order.groupStatus,
  tag: m.checks.order.groupTag,
  none: m.checks.order.groupNone,
};

function OrderMenu({ view, onView, options }: FilterBarProps) {
  const chosen = (isChosen: boolean) => <span className="w-3">{isChosen ? '✓' : ''}</span>;
  return (
    <>
      <Menu
        className="quiet-button"
        button={
          <>
            <ArrowDownNarrowWide className="size-4" />
            <span className="max-lg:sr-only">{SORT_NAMES[view.sort]}</span>
          </>
        }
      >
        {SORTS.map((sort) => (
          <MenuItem key={sort} icon={chosen(view.sort === sort)} onSelect={() => onView({ ...view, sort })}>
            {SORT_NAMES[sort]}
          </MenuItem>
        ))}
        <MenuLine />
        {GROUPINGS.map((group) => (
          <MenuItem
            key={group}
            icon={chosen(view.group === group)}
            onSelect={() => onView({ ...view, group })}
          >
            {GROUP_NAMES[group]}
          </MenuItem>
        ))}
      </Menu>
      <Menu
        className="quiet-button quiet-icon"
        label={m.checks.options}
        button={<Ellipsis className="size-4" />}
      >
        {options}
      </Menu>
    </>
  );
}
