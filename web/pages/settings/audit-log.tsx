import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, Download } from 'lucide-react';
import { use, useState } from 'react';
import { MAX_ACT_FILTER } from '../../../src/wire/dashboard/limits.ts';
import { ROOT } from '../../app/api.ts';
import { type Answer, query, read } from '../../app/read.ts';
import { useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { DayName } from '../../ui/day-name.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { FilterChip } from '../../ui/filter-chip.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { Section } from '../../ui/section.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { chosenSeconds, daysOf, SpanFields } from '../../ui/span-fields.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { clockTime, dayOf, exactTime, type TimeStyle } from '../../ui/times.ts';
import { changeLine, changesOf, written } from './changes.ts';
import { SettingsPage } from './settings-page.tsx';

const t = m.settings.audit;

/** The filter of the log, in the address of the page. */
export interface AuditLogSearch {
  readonly action?: string;
  readonly account?: string;
  readonly search?: string;
  readonly days?: string;
  readonly until?: string;
}

/** The filter as the server takes it. */
function sentFilter({ days, until = '', ...filter }: AuditLogSearch, style: TimeStyle) {
  return { ...filter, ...chosenSeconds({ days: daysOf(days), until }, style) };
}

const actsQuery = (project: string, filter: ReturnType<typeof sentFilter>) =>
  infiniteQueryOptions({
    queryKey: query.auditLog({ project, ...filter, cursor: '' }).queryKey,
    queryFn: ({ pageParam }) => read.auditLog({ project, ...filter, cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
  });

type Act = Answer<'auditLog'>['acts'][number];

/** The filter without empty fields. Numbers in an address are texts here. */
const givenOf = ({ action, account, search, days, until }: AuditLogSearch): AuditLogSearch =>
  Object.fromEntries(
    Object.entries({ action, account, search, days, until }).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  );

/** The changes in the project. */
export function AuditLog() {
  const { uuid } = useProject();
  const filter = givenOf(useSearch({ from: '/signed-in/projects/$project/settings/audit-log' }));
  const acts = useInfiniteQuery(actsQuery(uuid, sentFilter(filter, use(PersonsTimes))));
  const shown = acts.data?.pages.flatMap((page) => page.acts) ?? [];
  return (
    <SettingsPage title={t.title}>
      <Section title={t.title} lead={t.lead} action={<Export project={uuid} filter={filter} />}>
        <Filters project={uuid} filter={filter} />
        <Refusal error={acts.error} />
        {acts.isPending && <Skeleton className="w-full" />}
        {acts.isSuccess && shown.length === 0 && <Blank title={t.none}>{t.noneLead}</Blank>}
        {shown.length > 0 && <Entries acts={shown} />}
        <MoreButton list={acts}>{t.older}</MoreButton>
      </Section>
    </SettingsPage>
  );
}

function Export({ project, filter }: { readonly project: string; readonly filter: AuditLogSearch }) {
  const style = use(PersonsTimes);
  const save = (format: 'csv' | 'jsonl') => {
    const path = `/dashboard/api/projects/${project}/audit-log/export`;
    const { start, end, ...texts } = sentFilter(filter, style);
    const asked = new URLSearchParams({ ...texts, format });
    for (const [name, second] of Object.entries({ start, end }))
      if (second !== undefined) asked.set(name, String(second));
    location.assign(`${ROOT}${path}?${asked}`);
  };
  return (
    <Menu
      className="inline-flex h-6.5 items-center gap-1.5 rounded-[6px] border border-line-2 bg-surface px-2 text-12 font-medium shadow-1"
      button={
        <>
          <Download className="size-3.5 text-ink-3" />
          {t.export}
        </>
      }
    >
      <MenuItem onSelect={() => save('csv')}>{t.exportCsv}</MenuItem>
      <MenuItem onSelect={() => save('jsonl')}>{t.exportJson}</MenuItem>
    </Menu>
  );
}

function Filters({ project, filter }: { readonly project: string; readonly filter: AuditLogSearch }) {
  const navigate = useNavigate({ from: '/projects/$project/settings/audit-log' });
  const { data: members } = useSuspenseQuery(query.projectMembers({ project }));
  const show = (change: AuditLogSearch) =>
    void navigate({ search: givenOf({ ...filter, ...change }), replace: true });
  return (
    <div className="flex flex-wrap items-center gap-1.5 max-md:gap-y-2">
      <input
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        value={filter.search ?? ''}
        maxLength={MAX_ACT_FILTER}
        onChange={({ target: { value } }) => show({ search: value })}
        className="h-8.5 w-[240px] max-w-full rounded-control border border-control bg-surface px-2.5 text-13 max-md:h-11 max-md:w-full max-md:text-16"
      />
      <SpanFields span={{ days: daysOf(filter.days), until: filter.until ?? '' }} change={show} />
      <FilterChip isOn={filter.action === undefined} onClick={() => show({ action: '' })}>
        {t.all}
      </FilterChip>
      {Object.entries(t.kinds).map(([action, label]) => (
        <FilterChip key={action} isOn={filter.action === action} onClick={() => show({ action })}>
          {label}
        </FilterChip>
      ))}
      <Select
        label={t.who}
        isLabelHidden
        options={[['', t.everybody], ...members.map(({ uuid, email }) => [uuid, email] as const)]}
        value={filter.account ?? ''}
        onChange={({ target: { value } }) => show({ account: value })}
      />
    </div>
  );
}

/** The entries by day, the newest first. */
function Entries({ acts }: { readonly acts: readonly Act[] }) {
  const style = use(PersonsTimes);
  const days = Map.groupBy(acts, ({ at }) => dayOf(Date.parse(at), style));
  return (
    <div className="overflow-hidden rounded-card border border-line">
      {[...days].map(([day, ofDay]) => (
        <section key={day}>
          <h3 className="flex gap-2 border-b border-line bg-sunken px-4 py-1.5 text-12">
            <DayName at={ofDay[0]?.at ?? ''} />
            <span className="font-normal text-ink-3">{ofDay.length}</span>
          </h3>
          <ul className="divide-y divide-line border-b border-line">
            {ofDay.map((act, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and those of one instant keep their order
              <Entry key={`${act.at} ${act.action} ${act.subject.id} ${ofDay.length - place}`} act={act} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Entry({ act }: { readonly act: Act }) {
  const [isOpen, setIsOpen] = useState(false);
  const style = use(PersonsTimes);
  const at = Date.parse(act.at);
  const line = changeLine(act.details);
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="grid w-full grid-cols-[64px_minmax(0,1fr)_16px] items-center gap-x-3 gap-y-0.5 px-4 py-2.5 text-left hover:bg-hover md:grid-cols-[64px_180px_minmax(0,1fr)_120px_16px]"
      >
        <time dateTime={act.at} title={exactTime(at, style)} className="font-mono text-12 text-ink-3">
          {clockTime(at, style, true)}
        </time>
        <span className="truncate font-medium">{act.actor}</span>
        <span className="min-w-0 text-ink-2 max-md:col-start-2 max-md:row-start-2">
          {m.acts[act.action] ?? act.action} <b className="font-semibold text-ink">{act.subject.name}</b>
          {line !== '' && <span className="block truncate text-12 text-ink-3">{line}</span>}
        </span>
        <span className="truncate text-12 text-ink-3 max-md:col-start-2">
          {t.through[act.means as keyof typeof t.through]}
        </span>
        <Icon className="size-4 text-ink-3 max-md:col-start-3 max-md:row-start-1" />
      </button>
      {isOpen && <Details act={act} />}
    </li>
  );
}

/** The changes, before and after, and the other facts. */
function Details({ act }: { readonly act: Act }) {
  const { before: _, after: __, ...facts } = act.details;
  const changes = changesOf(act.details);
  return (
    <div className="grid gap-2.5 px-4 pb-3.5 md:pl-[100px]">
      {changes.length > 0 && (
        <table className="w-full table-fixed border-collapse rounded-control border border-line text-left text-12">
          <thead>
            <tr className="border-b border-line text-ink-3">
              <th className="px-2.5 py-1.5 font-medium">{t.field}</th>
              <th className="px-2.5 py-1.5 font-medium">{t.before}</th>
              <th className="px-2.5 py-1.5 font-medium">{t.after}</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {changes.map(({ field, old, made }) => (
              <tr key={field}>
                <td className="px-2.5 py-1.5 break-words">{field}</td>
                <td className="px-2.5 py-1.5 break-words text-ink-3">
                  <del>{old}</del>
                </td>
                <td className="px-2.5 py-1.5 font-medium break-words">
                  <ins className="decoration-up-g">{made}</ins>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-12">
        {act.address !== null && (
          <>
            <dt className="text-ink-3">{t.who}</dt>
            <dd>
              {act.actor} {t.from(act.address)}
            </dd>
          </>
        )}
        {Object.entries(facts).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd className="break-words">{written(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
