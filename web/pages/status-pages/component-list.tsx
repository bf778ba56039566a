import { useQuery } from '@tanstack/react-query';
import { Ellipsis, GripVertical, List, Plus, Tag } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { type Answer, query } from '../../app/read.ts';
import { useShortcuts } from '../../app/shortcuts.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Note } from '../../ui/note.tsx';
import { ComponentPill } from './component-pill.tsx';
import { Section } from './section.tsx';
import type { Component, StatusPage } from './status-page-types.ts';

/** The components of a page, in order. */
export function ComponentList({
  project,
  page,
  components,
  isWriter,
  error,
  onChange,
}: {
  readonly project: string;
  readonly page: StatusPage;
  readonly components: readonly Component[];
  readonly isWriter: boolean;
  readonly error: string | null;
  readonly onChange: (components: readonly Component[]) => void;
}) {
  const [isAdding, setIsAdding] = useState(false);
  const move = (from: number, step: number) => {
    const to = from + step;
    const moved = components[from];
    if (moved === undefined || to < 0 || to >= components.length) return;
    onChange(components.toSpliced(from, 1).toSpliced(to, 0, moved));
  };
  const mayMove = isWriter && components.length > 1;
  const moveFocused = (step: number) => {
    const row = document.activeElement?.closest<HTMLElement>('[data-component]');
    move(
      components.findIndex(({ id }) => id === row?.dataset.component),
      step,
    );
  };
  const keys = [
    { keys: 'alt+arrowup', label: m.statusPages.up, action: () => moveFocused(-1) },
    { keys: 'alt+arrowdown', label: m.statusPages.down, action: () => moveFocused(1) },
  ];
  useShortcuts(m.statusPages.componentsTitle, mayMove ? keys : []);
  return (
    <Section
      title={m.statusPages.componentsTitle}
      lead={
        <>
          {m.statusPages.componentsLead} {mayMove && m.statusPages.order}
        </>
      }
      action={
        isWriter &&
        components.length < page.maxComponents && (
          <Button size="small" onClick={() => setIsAdding(true)}>
            <Plus className="size-4" />
            {m.statusPages.addComponent}
          </Button>
        )
      }
    >
      {components.length > 0 && (
        <ul className="mt-2.5 divide-y divide-line rounded-card border border-line">
          {components.map((component, place) => (
            <ComponentRow
              key={component.id}
              component={component}
              isWriter={isWriter}
              onMove={(step) => move(place, step)}
              onChange={(change) => onChange(components.with(place, { ...component, ...change }))}
              onRemove={() => onChange(components.toSpliced(place, 1))}
            />
          ))}
        </ul>
      )}
      <div className="mt-2.5 grid gap-2">
        <ErrorText>{error}</ErrorText>
        <Note shape={components.length === 0 ? 'new' : 'off'}>
          {components.length === 0
            ? m.statusPages.noComponents
            : `${m.statusPages.never} ${m.statusPages.uncovered(page.uncovered, page.checks)}`}
        </Note>
      </div>
      {isAdding && (
        <AddComponent
          project={project}
          onClose={() => setIsAdding(false)}
          onAdd={(component) => {
            setIsAdding(false);
            onChange([...components, { ...component, id: freeId(components) }]);
          }}
        />
      )}
    </Section>
  );
}

/** The name of its tag or its check, which only the project sees. */
export const coveredBy = ({ tag, checkName }: Pick<Component, 'tag' | 'checkName'>): string =>
  tag ?? checkName ?? m.statusPages.lost;

/** An id that no component has. */
function freeId(components: readonly Component[]): string {
  const taken = new Set(components.map(({ id }) => id));
  let n = components.length + 1;
  while (taken.has(`c${n}`)) n++;
  return `c${n}`;
}

const INPUT =
  'block h-8.5 w-full min-w-0 rounded-control border border-control bg-surface px-2.5 text-13 max-md:h-11 max-md:text-16';

function ComponentRow({
  component,
  isWriter,
  onMove,
  onChange,
  onRemove,
}: {
  readonly component: Component;
  readonly isWriter: boolean;
  readonly onMove: (step: number) => void;
  readonly onChange: (change: Partial<Component>) => void;
  readonly onRemove: () => void;
}) {
  const { name, group, tag, checks, state, stateWords } = component;
  return (
    <li
      data-component={component.id}
      className="grid grid-cols-[minmax(0,1fr)_84px] items-center gap-x-3 gap-y-1.5 px-3 py-2 md:grid-cols-[16px_minmax(0,1fr)_110px_150px_84px_26px]"
    >
      <GripVertical className="size-4 text-ink-3 max-md:hidden" />
      {isWriter ? (
        <>
          <input
            aria-label={m.statusPages.publicName}
            placeholder={m.statusPages.publicNameHint}
            value={name}
            maxLength={TEXT_LIMITS.statusTitle}
            required
            onChange={(event) => onChange({ name: event.target.value })}
            className={INPUT}
          />
          <input
            aria-label={m.statusPages.group}
            placeholder={m.statusPages.groupHint}
            value={group}
            maxLength={TEXT_LIMITS.statusGroup}
            onChange={(event) => onChange({ group: event.target.value })}
            className={`${INPUT} max-md:order-5 max-md:col-span-2`}
          />
        </>
      ) : (
        <>
          <span className="truncate font-medium">{name}</span>
          <span className="truncate text-12 text-ink-3 max-md:order-5 max-md:col-span-2">{group}</span>
        </>
      )}
      <span className="flex min-w-0 items-center gap-1.5 text-ink-2 max-md:order-3">
        {tag === null ? (
          <List className="size-3.5 flex-none text-ink-3" />
        ) : (
          <Tag className="size-3.5 flex-none text-ink-3" />
        )}
        <span className="truncate">{coveredBy(component)}</span>
        {tag !== null && (
          <span className="text-12 whitespace-nowrap text-ink-3">{m.statusPages.checkCount(checks)}</span>
        )}
      </span>
      <span className="max-md:order-4 max-md:justify-self-end">
        <ComponentPill state={state} words={stateWords} />
      </span>
      {isWriter && (
        <span className="max-md:order-2 max-md:justify-self-end">
          <Menu
            label={m.statusPages.more(name || coveredBy(component))}
            className="grid size-6.5 place-items-center rounded-[6px] hover:bg-hover max-md:size-10"
            button={<Ellipsis className="size-4" />}
          >
            <MenuItem onSelect={() => onMove(-1)}>{m.statusPages.up}</MenuItem>
            <MenuItem onSelect={() => onMove(1)}>{m.statusPages.down}</MenuItem>
            <MenuItem isDangerous onSelect={onRemove}>
              {m.statusPages.remove}
            </MenuItem>
          </Menu>
        </span>
      )}
    </li>
  );
}

type NewComponent = Omit<Component, 'id'>;

type Covered = Answer<'coverage'>['project'];

function AddComponent({
  project,
  onAdd,
  onClose,
}: {
  readonly project: string;
  readonly onAdd: (component: NewComponent) => void;
  readonly onClose: () => void;
}) {
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  const { data } = useQuery(query.coverage({ project, search: wanted }));
  const tags = (data?.tags ?? []).filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()));
  const checks = data?.checks ?? [];
  const of = (one: Covered): Omit<NewComponent, 'tag' | 'check' | 'checkName'> => ({
    // Names of checks and tags are internal. So a person writes the public one.
    name: '',
    group: '',
    checks: one.checks,
    state: one.state,
    stateWords: one.stateWords,
  });
  return (
    <Dialog title={m.statusPages.addTitle} onClose={onClose}>
      <Field
        label={m.statusPages.search}
        type="search"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <div className="grid gap-3">
        {tags.length > 0 && (
          <Choices title={m.statusPages.tags}>
            {tags.map((one) => (
              <Choice
                key={one.label}
                one={one}
                detail={m.statusPages.checkCount(one.checks)}
                onSelect={() => onAdd({ ...of(one), tag: one.label, check: null, checkName: null })}
              />
            ))}
          </Choices>
        )}
        {checks.length > 0 && (
          <Choices title={m.statusPages.checks}>
            {checks.map((one) => (
              <Choice
                key={one.uniqueKey}
                one={one}
                detail=""
                onSelect={() => onAdd({ ...of(one), tag: null, check: one.uniqueKey, checkName: one.label })}
              />
            ))}
          </Choices>
        )}
        {data !== undefined && tags.length + checks.length === 0 && (
          <p className="text-ink-3">{m.statusPages.nothingFound}</p>
        )}
        {data?.hasMore === true && <p className="text-12 text-ink-3">{m.statusPages.moreChecks}</p>}
      </div>
    </Dialog>
  );
}

function Choices({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <h3 className="mb-1 text-12 text-ink-3">{title}</h3>
      <ul className="grid">{children}</ul>
    </div>
  );
}

function Choice({
  one,
  detail,
  onSelect,
}: {
  readonly one: Covered;
  readonly detail: string;
  readonly onSelect: () => void;
}) {
  return (
    <li>
      <button
        type="button"
        onClick={onSelect}
        className="flex min-h-8.5 w-full items-center gap-2 rounded-[6px] px-2 text-left hover:bg-hover max-md:min-h-11"
      >
        <span className="min-w-0 flex-1 truncate font-medium">{one.label}</span>
        <span className="text-12 text-ink-3">{detail}</span>
        <ComponentPill state={one.state} words={one.stateWords} />
      </button>
    </li>
  );
}
