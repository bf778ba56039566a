import './palette.css';
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Bookmark,
  CircleUser,
  Copy,
  CornerDownLeft,
  FileText,
  FolderOpen,
  Globe,
  List,
  ListChecks,
  ListTree,
  Pencil,
  Plug,
  Plus,
  RectangleEllipsis,
  Search,
  Settings,
  Shield,
  SquareChartGantt,
  Tag,
  Terminal,
} from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import type { CheckRowJson } from '../../../src/views/board-json.ts';
import { useAnswers, useSnoozeSpans } from '../../acts/answers.tsx';
import { pauseCheck, resumeCheck } from '../../acts/pause.ts';
import { m } from '../../messages/index.ts';
import { docsAddress } from '../../ui/docs-link.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';
import { act, actOnce } from '../act.ts';
import { open } from '../next.ts';
import { query, read } from '../read.ts';
import { keyNames } from '../shortcuts.ts';
import { useOpenCheck } from '../use-open-check.ts';
import { mayWrite } from '../use-project.ts';
import { type Choice, type Entry, type Group, groupsFor, type Icon, nameOf } from './entries.ts';

const ICON = { className: 'size-4 flex-none text-ink-3' } as const;

const ICONS: Readonly<Record<Icon, ReactNode>> = {
  checks: <List {...ICON} />,
  timeline: <SquareChartGantt {...ICON} />,
  integrations: <Plug {...ICON} />,
  status_pages: <Globe {...ICON} />,
  badges: <RectangleEllipsis {...ICON} />,
  settings: <Settings {...ICON} />,
  projects: <FolderOpen {...ICON} />,
  all_checks: <ListChecks {...ICON} />,
  account: <CircleUser {...ICON} />,
  instance: <Shield {...ICON} />,
  page: <FileText {...ICON} />,
  view: <Bookmark {...ICON} />,
  tag: <Tag {...ICON} />,
  command: <Terminal {...ICON} />,
  copy: <Copy {...ICON} />,
  edit: <Pencil {...ICON} />,
  events: <ListTree {...ICON} />,
  add: <Plus {...ICON} />,
};

/** Finds checks, pages, tags and projects, and runs commands. */
export default function Palette({
  project,
  onClose,
  onHelp,
}: {
  readonly project: string | null;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const [place, setPlace] = useState(0);
  const id = useId();
  const groups = useGroups(typed, project);
  const entries = groups.flatMap((group) => group.entries);
  const chosen = entries[Math.min(place, entries.length - 1)];
  const optionId = (entry: Entry) => `${id}-${entries.indexOf(entry)}`;
  const run = useRun(project, onClose, onHelp);

  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  const move = (step: number) => {
    const next = (Math.min(place, entries.length - 1) + step + entries.length) % entries.length;
    setPlace(next);
    list.current?.querySelectorAll('[role="option"]')[next]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && chosen !== undefined) run(chosen.choice);
    else if (event.key === 'ArrowDown' && entries.length > 0) move(1);
    else if (event.key === 'ArrowUp' && entries.length > 0) move(-1);
    else return;
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is beside the palette, and Escape does the same
    <dialog
      ref={dialog}
      aria-label={m.palette.title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      className="palette overflow-hidden bg-surface p-0 text-ink shadow-3 backdrop:bg-scrim"
    >
      <div className="flex h-full max-h-[inherit] flex-col">
        <div className="flex h-13 flex-none items-center gap-2.5 border-b border-line px-4">
          <Search {...ICON} />
          <input
            role="combobox"
            aria-label={m.palette.title}
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={chosen && optionId(chosen)}
            autoComplete="off"
            spellCheck={false}
            autoFocus
            placeholder={m.palette.placeholder}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setPlace(0);
            }}
            onKeyDown={onKeyDown}
            className="h-full min-w-0 flex-1 bg-transparent text-16 outline-none placeholder:text-ink-3"
          />
          <span className="max-md:hidden">
            <Kbd>esc</Kbd>
          </span>
          <button type="button" onClick={onClose} className="text-link md:hidden">
            {m.palette.cancel}
          </button>
        </div>
        <div
          ref={list}
          id={`${id}-list`}
          role="listbox"
          aria-label={m.palette.title}
          className="min-h-0 flex-1 overflow-y-auto pb-1.5"
        >
          {groups.map((group) => (
            <Options
              key={group.title}
              group={group}
              optionId={optionId}
              chosen={chosen}
              project={project}
              onChoose={run}
            />
          ))}
          {entries.length === 0 && typed.trim() !== '' && (
            <p className="px-4 py-5 text-center text-ink-3">{m.palette.none(typed)}</p>
          )}
        </div>
        <Foot />
        <p role="status" className="sr-only">
          {typed === '' ? '' : m.palette.results(entries.length)}
        </p>
      </div>
    </dialog>
  );
}

/** The matching entries. The checks are the open project's, which its list may have read already. */
function useGroups(typed: string, project: string | null): Group[] {
  const check = useOpenCheck();
  const { data: list } = useSuspenseQuery(query.ownProjects());
  const { data: session } = useSuspenseQuery(query.signedIn());
  const { data: rows = [] } = useQuery({
    queryKey: ['project', project, 'checks', 'rows'],
    queryFn: () => read.checkRows({ project: project ?? '' }),
    meta: { live: 'never' },
    enabled: project !== null,
  });
  const { data: views = [] } = useQuery({
    ...query.savedViews({ project: project ?? '' }),
    enabled: project !== null,
  });
  const current = list.projects.find(({ uuid }) => uuid === project) ?? null;
  return groupsFor(typed, {
    rows,
    views,
    projects: list.projects,
    project: current,
    openCheck: check ?? null,
    mayWrite: current !== null && mayWrite(current),
    isAdmin: session.account.isAdmin,
    snoozes: useSnoozeSpans(),
  });
}

/** The rows that are shown, told in full by the server. */
function useDetails(project: string | null, keys: readonly string[]) {
  return useQuery({
    queryKey: ['project', project, 'palette', keys],
    queryFn: () => read.checkDetails({ project: project ?? '', keys: [...keys] }),
    enabled: project !== null && keys.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  }).data;
}

const checkOf = (row: CheckRowJson) => ({ ref: row.key, name: nameOf(row) });

function useRun(project: string | null, onClose: () => void, onHelp: () => void): (choice: Choice) => void {
  const navigate = useNavigate();
  const answers = useAnswers();
  return (choice) => {
    onClose();
    if (choice.kind === 'go') {
      void navigate(choice.page);
    } else if (choice.kind === 'pause' || choice.kind === 'resume') {
      const check = checkOf(choice.row);
      void (choice.kind === 'pause' ? pauseCheck(check) : resumeCheck(check));
    } else if (choice.kind === 'snooze') {
      const isSnoozed = choice.row.answer?.kind === 'snoozed';
      void answers.snooze({ ...checkOf(choice.row), isSnoozed }, { span: choice.span });
    } else if (choice.kind === 'acknowledge') void answers.acknowledge(checkOf(choice.row));
    else if (choice.kind === 'take_back') void answers.takeBack(checkOf(choice.row));
    else if (choice.kind === 'end_snooze') void answers.endSnooze(checkOf(choice.row));
    else if (choice.kind === 'copy') void copyUrl(project, choice.row.key);
    else if (choice.kind === 'theme')
      act.editAccount({ theme: choice.theme }).catch((error: Error) => tellError(error.message));
    else if (choice.kind === 'help') onHelp();
    else if (choice.kind === 'docs') location.assign(docsAddress(choice.path));
    else void actOnce.signOut().then(() => open('/accounts/login/'));
  };
}

async function copyUrl(project: string | null, key: string): Promise<void> {
  try {
    const [details] = await read.checkDetails({ project: project ?? '', keys: [key] });
    const url = details?.pingUrl ?? null;
    if (url === null) {
      tellError(m.checks.done.noUrl);
      return;
    }
    await navigator.clipboard.writeText(url);
    tell(m.palette.copied);
  } catch (error) {
    tellError(error instanceof Error ? error.message : String(error));
  }
}

function Options({
  group,
  optionId,
  chosen,
  project,
  onChoose,
}: {
  readonly group: Group;
  readonly optionId: (entry: Entry) => string;
  readonly chosen: Entry | undefined;
  readonly project: string | null;
  readonly onChoose: (choice: Choice) => void;
}) {
  const keys = group.entries.flatMap(({ checkKey }) => checkKey ?? []);
  const details = useDetails(project, keys);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, not fieldsets
    <div role="group" aria-label={group.title}>
      <p aria-hidden="true" className="px-4 pt-2.5 pb-1 text-11 font-medium text-ink-3">
        {group.title}
      </p>
      {group.entries.map((entry) => {
        const sentence = details?.find(({ key }) => key === entry.checkKey)?.sentence;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus
          <div
            key={entry.id}
            id={optionId(entry)}
            role="option"
            aria-selected={entry === chosen}
            onClick={() => onChoose(entry.choice)}
            className="palette-option mx-1.5 flex min-h-9.5 cursor-pointer items-center gap-2.5 rounded-control px-2.5 py-1 hover:bg-hover max-md:min-h-12"
          >
            <EntryIcon icon={entry.icon} />
            <span className="min-w-0 flex-1 truncate max-md:whitespace-normal">
              <Marked text={entry.label} range={entry.range} />
              {entry.detail !== undefined && <span className="text-ink-3"> · {entry.detail}</span>}
              {sentence !== undefined && (
                <span className="text-ink-3 max-md:block max-md:text-12">
                  <span className="max-md:hidden">{' · '}</span>
                  <Sentence parts={sentence} />
                </span>
              )}
            </span>
            <span className="flex flex-none gap-2.5 empty:hidden max-md:hidden">
              {entry === chosen ? (
                <Kbd>
                  <CornerDownLeft className="size-3" />
                </Kbd>
              ) : (
                entry.keys !== undefined && keyNames(entry.keys).map((key) => <Kbd key={key}>{key}</Kbd>)
              )}
            </span>
          </div>
        );
      })}
    </div>
  );
}

function EntryIcon({ icon }: { readonly icon: Shape | Icon }) {
  return icon in ICONS ? ICONS[icon as Icon] : <Glyph shape={icon as Shape} className="size-4" />;
}

function Marked({ text, range }: { readonly text: string; readonly range: Entry['range'] }) {
  if (range === null) return text;
  return (
    <>
      {text.slice(0, range[0])}
      <mark>{text.slice(...range)}</mark>
      {text.slice(range[1])}
    </>
  );
}

function Foot() {
  const { foot } = m.palette;
  return (
    <footer className="flex flex-none items-center gap-4 border-t border-line bg-sunken px-4 py-[9px] text-12 text-ink-3 max-md:hidden">
      <span className="inline-flex items-center gap-1">
        <Kbd>↑</Kbd>
        <Kbd>↓</Kbd> {foot.move}
      </span>
      <span className="inline-flex items-center gap-1">
        <Kbd>↵</Kbd> {foot.open}
      </span>
      <span className="ml-auto inline-flex items-center gap-1">
        {foot.commandsBefore} <Kbd>&gt;</Kbd> {foot.commands} <Kbd>#</Kbd> {foot.tags}
      </span>
    </footer>
  );
}
