import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { splitTags } from '../../../src/domain/check/tags.ts';
import { chosenPolicy } from '../../../src/domain/policy/presets.ts';
import type { ConflictJson } from '../../../src/wire/dashboard/check-settings-output.ts';
import { CheckMenu } from '../../acts/check-menu.tsx';
import { FileQuestion, FileSentences } from '../../acts/file-question.tsx';
import { act } from '../../app/act.ts';
import { ApiError } from '../../app/api.ts';
import { shownName } from '../../app/channel-names.ts';
import type { Destination } from '../../app/destination.ts';
import { query } from '../../app/read.ts';
import { useShortcuts } from '../../app/shortcuts.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { FootBar } from '../../ui/foot-bar.tsx';
import { Note } from '../../ui/note.tsx';
import { SaveKeys } from '../../ui/save-keys.tsx';
import { tell } from '../../ui/toasts.tsx';
import {
  type Alerting,
  choiceOf,
  faultOf,
  madeChoice,
  nameOf,
  policyWords,
  RULES_OF_WAYS,
} from '../alerting/choice.ts';
import type { Choice } from '../alerting/chosen.ts';
import { aboveWords, WhenToTell } from '../alerting/when-to-tell.tsx';
import { changedNames, changedSettings } from './changed-settings.ts';
import { ConflictPanel } from './conflict.tsx';
import { isInRange } from './duration-field.tsx';
import { FilterFields } from './filter-fields.tsx';
import { LeaveCheckDialog } from './leave-dialog.tsx';
import { NameFields, textFault } from './name-fields.tsx';
import { ParentFields } from './parent-fields.tsx';
import { RunFields } from './run-fields.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { SchedulePreview } from './schedule-preview.tsx';
import {
  alertingQuery,
  type Choices,
  type EditedCheck,
  type EditedPlace,
  type SettingName,
  type Settings,
} from './settings.ts';
import { TellingSentence } from './telling-sentence.tsx';
import { usePreview } from './use-preview.ts';

const texts = m.checkEditor;

type Edited = Pick<EditedCheck, 'uuid' | 'key' | 'version' | 'fromFiles'>;

interface Project {
  readonly uuid: string;
  readonly name: string;
}

/** The form of a check, new or not, with the meaning of its schedule beside it. */
export function CheckForm({
  project,
  check,
  initial,
  choices,
  notes = null,
}: {
  readonly project: Project;
  /** Null for a new check. */
  readonly check: Edited | null;
  readonly initial: Settings;
  readonly choices: Choices;
  /** Stand above the fields. */
  readonly notes?: ReactNode;
}) {
  const form = useCheckForm(project, check, initial, choices);
  const { settings, change, errorOf, changed, preview, isOld } = form;
  const place = placeOf(project, check);
  const channelName = (uuid: string) => {
    const channel = choices.channels.find((one) => one.uuid === uuid);
    return channel === undefined ? uuid : shownName(channel);
  };
  useShortcuts(texts.form, [{ keys: 'mod+enter', label: m.controls.save, action: form.submit }]);
  const name = form.base.name || texts.unnamed;
  // Dialogs have forms of their own, which must not stand inside this one.
  return (
    <>
      <div className="flex items-center gap-2 px-6 pt-6 max-md:px-4 max-md:pt-4.5">
        <h1 className="min-w-0 flex-1 text-20 tracking-[-.016em] [overflow-wrap:anywhere]">
          {check === null ? texts.addTitle : texts.editTitle(name)}
        </h1>
        {check !== null && <ActsMenu project={project} uuid={check.uuid} name={name} letGo={form.letGo} />}
      </div>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          form.submit();
        }}
      >
        <div className="grid gap-5 px-6 pt-5 pb-6 max-md:px-4 max-md:pb-4.5">
          {notes}
          {check === null && choices.room.used >= choices.room.limit && (
            <Note kind="late">{texts.limit(choices.room.used, choices.room.limit)}</Note>
          )}
          {form.conflict !== null && (
            <ConflictPanel
              conflict={form.conflict}
              base={form.base}
              mine={settings}
              channelName={channelName}
              onTheirs={form.keepTheirs}
              onMine={form.useMine}
            />
          )}
          {check === null && <Templates templates={choices.templates} onChoose={change} />}
          <div className="grid grid-cols-[minmax(0,1fr)_400px] grid-rows-[auto_1fr] gap-x-8 gap-y-4.5 max-xl:grid-cols-1">
            <div className="grid content-start gap-4.5">
              <NameFields {...{ settings, choices, place, errorOf }} onChange={change} />
              <ScheduleFields {...{ settings, choices, preview }} onChange={change} />
            </div>
            <div className="xl:col-start-2 xl:row-span-2 xl:row-start-1">
              <SchedulePreview {...{ settings, preview, isOld }} isNew={check === null} />
            </div>
            <div className="grid content-start gap-4.5">
              <ChannelFields project={project} choices={choices} settings={settings} onChange={change} />
              <WhenToTell
                project={project.uuid}
                alerting={form.alerting}
                choice={form.choice}
                above={wordsAbove(settings.tags, form.alerting)}
                errorOf={form.errorOfRule}
                onChange={form.choose}
              >
                <TellingSentence place={form.place} settings={settings} choice={form.choice} />
              </WhenToTell>
              <FilterFields
                settings={settings}
                check={check?.uuid ?? null}
                maxKeywords={choices.limits.keywords}
                onChange={change}
              />
              <RunFields
                rules={settings.run_rules}
                isOpen={settings.parents !== ''}
                onChange={(run_rules) => change({ run_rules })}
              >
                <ParentFields
                  parents={settings.parents}
                  checks={choices.checks.filter(({ key }) => key !== check?.key)}
                  onChange={(parents) => change({ parents })}
                />
              </RunFields>
            </div>
          </div>
        </div>
        <CheckFootBar form={form} isNew={check === null} project={project} />
      </form>
      {form.isAsked && (
        <FileQuestion
          undone={form.undone}
          action={texts.saveAllTheSame}
          send={form.saveAsked}
          onClose={form.endQuestion}
        />
      )}
      <LeaveCheckDialog
        name={name}
        before={form.base}
        after={settings}
        changed={changed}
        channelName={channelName}
        maySave={form.faults.length === 0}
        isFree={form.isFree}
        undone={<FileSentences undone={form.undone} />}
        onSave={form.saveOnly}
      />
    </>
  );
}

/** What counts for a check with these tags that has no choice of its own. */
function wordsAbove(tags: string, alerting: Alerting): string {
  const { policy, tags: listed } = alerting;
  const { name, because } = chosenPolicy({ policy: '', tags: splitTags(tags) }, listed, policy);
  return aboveWords(
    policyWords(name, alerting),
    because.startsWith('tag ') ? because.slice('tag '.length) : null,
  );
}

function placeOf(project: Project, check: Pick<EditedCheck, 'uuid'> | null): EditedPlace {
  return { project: project.uuid, ...(check !== null && { editedUuid: check.uuid }) };
}

/** The state of the form, and its events. */
function useCheckForm(project: Project, check: Edited | null, initial: Settings, { limits }: Choices) {
  const [settings, setSettings] = useState(initial);
  const [base, setBase] = useState({ settings: initial, version: check?.version });
  const [conflict, setConflict] = useState<ConflictJson | null>(null);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const free = useRef(false);
  const navigate = useNavigate();
  const router = useRouter();
  const place = placeOf(project, check);
  const { preview, isOld } = usePreview(place, settings);
  const { data: alerting } = useSuspenseQuery(alertingQuery(project.uuid));
  /** A choice that the project may not have yet. It counts as long as the settings name it. */
  const [drafted, setDrafted] = useState<Choice | null>(null);
  const isDrafted = drafted !== null && nameOf(drafted, alerting) === settings.policy;
  const choice = isDrafted ? drafted : choiceOf(settings.policy, alerting);

  const errorOf = (name: SettingName): string | null =>
    textFault(name, settings, limits) ?? (refusal?.field === name ? refusal.message : null);
  const faults: SettingName[] = [
    ...(['name', 'slug', 'tags'] as const).filter((name) => textFault(name, settings, limits) !== null),
    ...(settings.kind === 'simple' && !isInRange(settings.timeout) ? ['timeout' as const] : []),
    ...(settings.kind !== 'simple' && preview?.fault ? ['schedule' as const] : []),
    ...(isInRange(settings.grace) ? [] : ['grace' as const]),
    ...(faultOf(choice) === null ? [] : ['policy' as const]),
  ];
  const changed = changedNames(base.settings, settings);
  const undone = (check?.fromFiles ?? [])
    .filter(({ name }) => changed.includes(name))
    .map(({ name, source }) => ({ words: texts.fields[name], source }));

  /** Returns the UUID of the check. Null if it was not saved. */
  const send = async (seen: string | undefined, parts: Partial<Settings>): Promise<string | null> => {
    setIsBusy(true);
    setRefusal(null);
    const { channels, run_rules: rules, parents, done_channels, policy, ...others } = parts;
    const sentWith = (chosen: string | undefined) => ({
      ...others,
      // What they name may be gone. Only somebody who changes them is told so.
      ...(changed.includes('parents') && { parents }),
      ...(changed.includes('done_channels') && { done_channels }),
      ...(channels !== undefined && { channels: [...channels] }),
      ...(rules !== undefined &&
        changed.includes('run_rules') && { run_rules: wholeRules(base.settings, rules) }),
      ...(chosen !== undefined && { policy: chosen }),
    });
    try {
      const isChosen = policy !== undefined && changed.includes('policy');
      const sent = sentWith(isChosen ? await madeChoice(project.uuid, choice, alerting) : undefined);
      if (check === null) {
        const { uuid } = await act.createCheck({ project: project.uuid, ...sent });
        return uuid;
      }
      const saved = await act.updateCheck({
        check: check.uuid,
        ...sent,
        ...(seen !== undefined && { seen }),
      });
      setBase({ settings: saved.settings, version: saved.version });
      return check.uuid;
    } catch (error) {
      const failure = error instanceof ApiError ? error : new ApiError(String(error));
      if (failure.code === 'check_changed') setConflict(failure.answer.conflict as ConflictJson);
      else setRefusal(failure);
      return null;
    } finally {
      setIsBusy(false);
    }
  };
  const finish = async (
    seen: string | undefined,
    parts: Partial<Settings> = settings,
  ): Promise<string | null> => {
    const uuid = await send(seen, parts);
    if (uuid === null) return null;
    free.current = true;
    setConflict(null);
    const name = settings.name || texts.unnamed;
    tell(check === null ? texts.added(name) : texts.saved(name));
    return uuid;
  };
  const saveAndGo = async (seen: string | undefined, parts?: Partial<Settings>) => {
    const uuid = await finish(seen, parts);
    if (uuid === null) return;
    // Back to where it was opened from: the list keeps its filters in the address.
    if (check !== null && router.history.canGoBack()) router.history.back();
    else await navigate({ to: '/checks/$check/details/', params: { check: uuid } });
  };

  return {
    settings,
    base: base.settings,
    change: (next: Partial<Settings>) => setSettings((now) => ({ ...now, ...next })),
    alerting,
    choice,
    choose: (next: Choice) => {
      setDrafted(next);
      setSettings((now) => ({ ...now, policy: nameOf(next, alerting) }));
    },
    errorOfRule: (field: string) => (refusal?.field === field ? refusal.message : null),
    place,
    preview,
    isOld,
    errorOf,
    faults,
    changed,
    conflict,
    /** The error that belongs to no field. */
    refusal: refusal !== null && !FIELDS_WITH_ERRORS.includes(refusal.field ?? '') ? refusal.message : null,
    isBusy,
    isFree: () => free.current,
    /** There is nothing left that could be saved. */
    letGo: () => {
      free.current = true;
    },
    saveOnly: async () => (await finish(base.version)) !== null,
    submit: () => {
      if (isBusy) return;
      if (faults.length > 0) document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      else if (undone.length > 0) setIsAsked(true);
      else void saveAndGo(base.version);
    },
    /** Changed settings that a file will change back. */
    undone,
    isAsked,
    endQuestion: () => setIsAsked(false),
    saveAsked: () => saveAndGo(base.version),
    keepTheirs: () => {
      if (conflict === null) return;
      setBase({ settings: conflict.settings, version: conflict.version });
      setSettings(conflict.settings);
      setConflict(null);
    },
    useMine: () => {
      if (conflict !== null) void saveAndGo(conflict.version, changedSettings(base.settings, settings));
    },
  };
}

/** Rules are merged with those of the check: what was taken away is sent as null. */
function wholeRules({ run_rules: before }: Settings, rules: Settings['run_rules']) {
  const gone = Object.keys(before).filter((name) => !(name in rules));
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...rules };
}

/** Fields that show their own errors. */
const FIELDS_WITH_ERRORS: readonly string[] = ['name', 'slug', 'tags', 'desc', ...RULES_OF_WAYS];

function CheckFootBar({
  form,
  isNew,
  project,
}: {
  readonly form: ReturnType<typeof useCheckForm>;
  readonly isNew: boolean;
  readonly project: Project;
}) {
  const router = useRouter();
  const navigate = useNavigate();
  const { changed, faults } = form;
  const state = () => {
    if (faults.length > 0) return texts.needLook(faults.length);
    if (changed.length === 0) return isNew ? '' : texts.nothingChanged;
    return texts.unsaved(changed.map((name) => texts.fields[name].toLowerCase()));
  };
  const cancel = () => {
    if (router.history.canGoBack()) router.history.back();
    else void navigate({ to: '/projects/$project/checks/', params: { project: project.uuid } });
  };
  return (
    <FootBar>
      <div className="min-w-0 flex-1 max-md:basis-full max-md:empty:hidden" aria-live="polite">
        {form.refusal === null ? (
          <span className="block truncate text-13 text-ink-3 max-md:hidden">{state()}</span>
        ) : (
          <ErrorText>{form.refusal}</ErrorText>
        )}
      </div>
      <Button size="large" className="max-md:flex-1" onClick={cancel}>
        {m.controls.cancel}
      </Button>
      <Button
        kind="primary"
        size="large"
        type="submit"
        className="max-md:flex-1"
        isBusy={form.isBusy}
        disabled={faults.length > 0}
      >
        {isNew ? texts.add : texts.save}
        <SaveKeys />
      </Button>
    </FootBar>
  );
}

function ActsMenu({
  project,
  uuid,
  name,
  letGo,
}: {
  readonly project: Project;
  readonly uuid: string;
  readonly name: string;
  readonly letGo: () => void;
}) {
  const { data: shown } = useQuery(query.checkPage({ check: uuid }));
  const navigate = useNavigate();
  const goTo = (page: Destination) => {
    letGo();
    void navigate(page);
  };
  return (
    <CheckMenu
      check={{ uuid, name, project: project.uuid }}
      isPaused={shown?.status === 'paused'}
      className="grid size-8 place-items-center rounded-control hover:bg-hover max-md:size-10"
      onGone={() => goTo({ to: '/projects/$project/checks/', params: { project: project.uuid } })}
      onReplaced={(replaced) => goTo({ to: '/checks/$check/edit/', params: { check: replaced } })}
    />
  );
}

function Templates({
  templates,
  onChoose,
}: {
  readonly templates: Choices['templates'];
  readonly onChoose: (change: Partial<Settings>) => void;
}) {
  return (
    <fieldset className="grid grid-cols-4 gap-2 max-md:grid-cols-2">
      <legend className="mb-2 text-13 font-medium">{texts.templates.title}</legend>
      {templates.map(({ id, ...settings }) => (
        <button
          key={id}
          type="button"
          onClick={() => onChoose(settings)}
          className="grid content-start gap-0.5 rounded-[10px] border border-line p-3 text-left hover:bg-hover"
        >
          <b className="text-13 font-medium">{texts.templates[id][0]}</b>
          <span className="text-12 text-ink-3">{texts.templates[id][1]}</span>
        </button>
      ))}
    </fieldset>
  );
}

function ChannelFields({
  project,
  choices: { channels },
  settings,
  onChange,
}: {
  readonly project: Project;
  readonly choices: Choices;
  readonly settings: Settings;
  readonly onChange: (change: Partial<Settings>) => void;
}) {
  const toggle = (uuid: string, isOn: boolean) => {
    const others = settings.channels.filter((one) => one !== uuid);
    onChange({ channels: isOn ? [...others, uuid].sort() : others });
  };
  const done = settings.done_channels.split(',').filter((one) => one !== '');
  const toggleDone = (uuid: string, isOn: boolean) => {
    const others = done.filter((one) => one !== uuid);
    onChange({ done_channels: (isOn ? [...others, uuid].sort() : others).join(',') });
  };
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-2 w-full border-t border-line pt-4.5 text-14 font-semibold">{texts.who}</legend>
      {channels.length === 0 && (
        <Note kind="down">
          {texts.nobody}{' '}
          <Link
            to="/projects/$project/integrations/"
            params={{ project: project.uuid }}
            className="text-link underline underline-offset-2"
          >
            {texts.addIntegration}
          </Link>
        </Note>
      )}
      {channels.map(({ uuid, name, label, isOff, takesAnyWords }) => (
        <div
          key={uuid}
          className="flex items-start gap-2.5 border-t border-line py-2 first-of-type:border-t-0"
        >
          <div className="min-w-0 flex-1">
            <Checkbox
              label={name || label}
              checked={settings.channels.includes(uuid)}
              onChange={(event) => toggle(uuid, event.target.checked)}
            />
            {takesAnyWords && settings.channels.includes(uuid) && (
              <div className="mt-1.5 ml-6.5 text-12 text-ink-2">
                <Checkbox
                  label={texts.eachSuccess}
                  checked={done.includes(uuid)}
                  onChange={(event) => toggleDone(uuid, event.target.checked)}
                />
              </div>
            )}
          </div>
          <span className="pt-0.5 text-12 text-ink-3 max-md:pt-3.5">{isOff ? texts.off : name && label}</span>
        </div>
      ))}
    </fieldset>
  );
}
