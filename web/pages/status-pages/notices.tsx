import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, use, useState } from 'react';
import type {
  StatusNoticeJson,
  StatusPageJson,
  StatusUpdateJson,
} from '../../../src/wire/dashboard/status-page-output.ts';
import { ApiError, post, remove } from '../../app/api.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { ClockTime, PersonsTimes } from '../../ui/time.tsx';
import { instantOf } from '../../ui/times.ts';
import { tell } from '../../ui/toasts.tsx';

/** What somebody writes of an incident, for the preview. */
export interface WrittenUpdate {
  readonly notice: string | null;
  readonly title: string;
  readonly state: string;
  readonly text: string;
}

interface Shared {
  readonly path: string;
  readonly page: StatusPageJson;
  readonly isWriter: boolean;
}

/** Sends something to the page's notices, and reads the page anew. */
function useSend(path: string, done: () => void) {
  const queries = useQueryClient();
  const project = path.split('/')[2];
  const { mutate, error, isPending } = useMutation({
    mutationFn: ({ at, body }: { readonly at: string; readonly body: object | null }) =>
      body === null ? remove(path + at) : post(path + at, body),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['project', project, 'status-pages'] });
      done();
    },
  });
  const fault = error instanceof ApiError ? error : null;
  return {
    send: (at: string, body: object | null) => mutate({ at, body }),
    isPending,
    errorOf: (field: string) => (fault?.field === field ? fault.message : null),
    otherError: (...fields: string[]) =>
      error !== null && !fields.includes(fault?.field ?? '') ? error.message : null,
  };
}

function Section({
  title,
  lead,
  action,
  children,
}: {
  readonly title: string;
  readonly lead: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <div className="flex flex-wrap items-start gap-4">
        <div className="min-w-0 flex-1">
          <h2 className="text-14">{title}</h2>
          <p className="text-12 text-ink-3">{lead}</p>
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}

/** The incidents that are open, and a form for a new one. */
export function Incidents({
  path,
  page,
  isWriter,
  onWrite,
}: Shared & { readonly onWrite: (update: WrittenUpdate | null) => void }) {
  const [isOpening, setIsOpening] = useState(false);
  const open = page.notices.filter(({ kind, phase }) => kind === 'incident' && phase === 'open');
  return (
    <Section
      title={m.statusPages.incident}
      lead={open.length === 0 ? m.statusPages.incidentNone : m.statusPages.incidentOpen}
      action={
        isWriter &&
        !isOpening &&
        page.components.length > 0 && (
          <Button size="small" onClick={() => setIsOpening(true)}>
            {m.statusPages.openIncident}
          </Button>
        )
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        {isOpening && (
          <NewIncident
            path={path}
            page={page}
            onWrite={onWrite}
            onClose={() => {
              setIsOpening(false);
              onWrite(null);
            }}
          />
        )}
        {open.map((notice) => (
          <OpenIncident
            key={notice.uuid}
            path={path}
            page={page}
            notice={notice}
            isWriter={isWriter}
            onWrite={onWrite}
          />
        ))}
      </div>
    </Section>
  );
}

const BOX = 'mt-5 grid gap-6 rounded-card border border-line px-8 py-7';

function NewIncident({
  path,
  page,
  onWrite,
  onClose,
}: Omit<Shared, 'isWriter'> & {
  readonly onWrite: (update: WrittenUpdate | null) => void;
  readonly onClose: () => void;
}) {
  const bad = page.components.filter(({ state }) => state === 'down' || state === 'late');
  const names = bad
    .map(({ name }) => name)
    .slice(0, 3)
    .join(', ');
  const [title, setTitle] = useState(bad.length === 0 ? '' : m.statusPages.incidentPrefill(names));
  const [update, setUpdate] = useState<Update>({ state: 'looking', text: '' });
  const [touched, setTouched] = useState<readonly string[]>(bad.map(({ id }) => id));
  const form = useSend(path, () => {
    tell(m.statusPages.updatePublished);
    onClose();
  });
  const otherError = form.otherError('title', 'text');
  return (
    <form
      className={BOX}
      onSubmit={(event) => {
        event.preventDefault();
        form.send('/notices', { kind: 'incident', title, components: touched, ...update });
      }}
    >
      <Field
        label={m.statusPages.incidentTitle}
        value={title}
        required
        maxLength={100}
        error={form.errorOf('title')}
        onChange={(event) => {
          setTitle(event.target.value);
          onWrite({ notice: null, ...update, title: event.target.value });
        }}
      />
      <UpdateFields
        states={page.incident_states.filter((one) => one.state !== 'over')}
        update={update}
        error={form.errorOf('text')}
        onChange={(changed) => {
          setUpdate(changed);
          onWrite({ notice: null, title, ...changed });
        }}
      />
      <Touched page={page} ids={touched} onChange={setTouched} />
      {otherError !== null && <ErrorText>{otherError}</ErrorText>}
      <div className="flex flex-wrap justify-end gap-4">
        <Button onClick={onClose}>{m.controls.cancel}</Button>
        <Button kind="primary" type="submit" isBusy={form.isPending}>
          {m.statusPages.publishIncident}
        </Button>
      </div>
    </form>
  );
}

/** What an update says: where the incident stands, and a text. */
type Update = Pick<WrittenUpdate, 'state' | 'text'>;

function UpdateFields({
  states,
  update,
  error,
  onChange,
}: {
  readonly states: StatusPageJson['incident_states'];
  readonly update: Update;
  readonly error: string | null;
  readonly onChange: (update: Update) => void;
}) {
  return (
    <>
      <div className="flex">
        <Segments
          label={m.statusPages.state}
          value={update.state}
          choices={states.map((one) => ({ value: one.state as string, label: one.words }))}
          onChange={(state) => onChange({ ...update, state })}
        />
      </div>
      <TextArea
        label={m.statusPages.text}
        hint={m.statusPages.textHint}
        value={update.text}
        required
        rows={3}
        maxLength={2_000}
        error={error}
        onChange={(event) => onChange({ ...update, text: event.target.value })}
      />
    </>
  );
}

function Touched({
  page,
  ids,
  onChange,
}: {
  readonly page: StatusPageJson;
  readonly ids: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}) {
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-3 text-13 font-medium">{m.statusPages.touches}</legend>
      <div className="flex flex-wrap gap-x-10 gap-y-4">
        {page.components.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={ids.includes(id)}
            onChange={(event) =>
              onChange(event.target.checked ? [...ids, id] : ids.filter((one) => one !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function OpenIncident({
  path,
  page,
  notice,
  isWriter,
  onWrite,
}: Shared & {
  readonly notice: StatusNoticeJson;
  readonly onWrite: (update: WrittenUpdate | null) => void;
}) {
  const [update, setUpdate] = useState<Update>({ state: notice.updates[0]?.state ?? 'looking', text: '' });
  const form = useSend(path, () => {
    setUpdate({ ...update, text: '' });
    onWrite(null);
    tell(m.statusPages.updatePublished);
  });
  const change = (changed: Update) => {
    setUpdate(changed);
    onWrite(changed.text.trim() === '' ? null : { notice: notice.uuid, title: notice.title, ...changed });
  };
  const otherError = form.otherError('text');
  return (
    <div className={BOX}>
      <div>
        <h3 className="text-14">{notice.title}</h3>
        <p className="text-12 text-ink-3">{notice.words}</p>
      </div>
      {isWriter && (
        <form
          className="grid grid-cols-[minmax(0,1fr)] gap-6"
          onSubmit={(event) => {
            event.preventDefault();
            form.send(`/notices/${notice.uuid}/updates`, update);
          }}
        >
          <UpdateFields
            states={page.incident_states}
            update={update}
            error={form.errorOf('text')}
            onChange={change}
          />
          {otherError !== null && <ErrorText>{otherError}</ErrorText>}
          <div className="flex justify-end">
            <Button size="small" kind="primary" type="submit" isBusy={form.isPending}>
              {m.statusPages.publishUpdate}
            </Button>
          </div>
        </form>
      )}
      <Updates path={path} notice={notice} isWriter={isWriter} />
    </div>
  );
}

function Updates({
  path,
  notice,
  isWriter,
}: {
  readonly path: string;
  readonly notice: StatusNoticeJson;
  readonly isWriter: boolean;
}) {
  return (
    <ol className="ml-3 grid gap-7 border-l-[1.5px] border-line-2 pl-9">
      {notice.updates.map((update) => (
        <PublishedUpdate key={update.uuid} path={path} notice={notice} update={update} isWriter={isWriter} />
      ))}
    </ol>
  );
}

function PublishedUpdate({
  path,
  notice,
  update,
  isWriter,
}: {
  readonly path: string;
  readonly notice: StatusNoticeJson;
  readonly update: StatusUpdateJson;
  readonly isWriter: boolean;
}) {
  const [text, setText] = useState<string | null>(null);
  const form = useSend(path, () => setText(null));
  const error = form.otherError();
  return (
    <li className="relative grid gap-2 before:absolute before:top-3 before:-left-[23px] before:size-4 before:rounded-full before:bg-ink-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {notice.kind === 'incident' && <b>{update.state_words}</b>}
        <span className="text-12 text-ink-3">
          <ClockTime at={update.at} /> {m.statusPages.by(update.author)}
        </span>
        {isWriter && text === null && (
          <Button size="small" kind="ghost" onClick={() => setText(update.text)}>
            {m.statusPages.edit}
          </Button>
        )}
      </div>
      {text === null ? (
        <p className="whitespace-pre-line text-ink-2">{update.text}</p>
      ) : (
        <form
          className="grid grid-cols-[minmax(0,1fr)] gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            form.send(`/notices/${notice.uuid}/updates/${update.uuid}`, { text });
          }}
        >
          <TextArea
            label={m.statusPages.text}
            value={text}
            required
            rows={3}
            maxLength={2_000}
            onChange={(event) => setText(event.target.value)}
          />
          {error !== null && <ErrorText>{error}</ErrorText>}
          <div className="flex gap-4">
            <Button size="small" kind="primary" type="submit" isBusy={form.isPending}>
              {m.statusPages.correct}
            </Button>
            <Button size="small" onClick={() => setText(null)}>
              {m.controls.cancel}
            </Button>
          </div>
        </form>
      )}
    </li>
  );
}

/** What is planned or under way, a form for more, and what is over. */
export function Maintenances({ path, page, isWriter }: Shared) {
  const [isPlanning, setIsPlanning] = useState(false);
  const current = page.notices.filter(({ kind, phase }) => kind === 'maintenance' && phase !== 'over');
  const past = page.notices.filter(({ phase }) => phase === 'over');
  return (
    <Section
      title={m.statusPages.maintenance}
      lead={current.length === 0 ? m.statusPages.maintenanceNone : m.statusPages.maintenanceLead}
      action={
        isWriter &&
        !isPlanning && (
          <Button size="small" onClick={() => setIsPlanning(true)}>
            {m.statusPages.plan}
          </Button>
        )
      }
    >
      {isPlanning && <NewMaintenance path={path} page={page} onClose={() => setIsPlanning(false)} />}
      {current.map((notice) => (
        <NoticeBox key={notice.uuid} path={path} notice={notice} isWriter={isWriter} />
      ))}
      {past.length > 0 && (
        <details className="mt-6">
          <summary className="cursor-pointer text-12 font-medium text-ink-2">{m.statusPages.past}</summary>
          {past.map((notice) => (
            <NoticeBox key={notice.uuid} path={path} notice={notice} isWriter={isWriter} />
          ))}
        </details>
      )}
    </Section>
  );
}

function NoticeBox({
  path,
  notice,
  isWriter,
}: {
  readonly path: string;
  readonly notice: StatusNoticeJson;
  readonly isWriter: boolean;
}) {
  const form = useSend(path, () => tell(m.statusPages.deleted));
  const error = form.otherError();
  return (
    <div className={BOX}>
      <div className="flex flex-wrap items-start gap-4">
        <div className="min-w-0 flex-1">
          <h3 className="text-14">{notice.title}</h3>
          <p className="text-12 text-ink-3">{notice.words}</p>
        </div>
        {isWriter && (
          <Button
            size="small"
            kind="danger"
            isBusy={form.isPending}
            onClick={() => form.send(`/notices/${notice.uuid}`, null)}
          >
            {m.statusPages.delete}
          </Button>
        )}
      </div>
      {error !== null && <ErrorText>{error}</ErrorText>}
      <Updates path={path} notice={notice} isWriter={isWriter} />
    </div>
  );
}

function NewMaintenance({
  path,
  page,
  onClose,
}: Omit<Shared, 'isWriter'> & { readonly onClose: () => void }) {
  const [values, setValues] = useState({ title: '', text: '', starts: '', ends: '' });
  const [touched, setTouched] = useState<readonly string[]>([]);
  const form = useSend(path, onClose);
  const style = { ...use(PersonsTimes), tz: page.tz };
  const timeOf = (field: string) => {
    const at = instantOf(field, style);
    return at === null ? null : new Date(at).toISOString();
  };
  const set = (change: Partial<typeof values>) => setValues({ ...values, ...change });
  const otherError = form.otherError('title', 'text', 'starts', 'ends');
  return (
    <form
      className={BOX}
      onSubmit={(event) => {
        event.preventDefault();
        const { title, text, starts, ends } = values;
        const times = { starts: timeOf(starts), ends: timeOf(ends) };
        form.send('/notices', { kind: 'maintenance', title, text, components: touched, ...times });
      }}
    >
      <Field
        label={m.statusPages.planTitle}
        value={values.title}
        required
        maxLength={100}
        error={form.errorOf('title')}
        onChange={(event) => set({ title: event.target.value })}
      />
      <div className="grid grid-cols-2 gap-6 max-md:grid-cols-1">
        <Field
          label={m.statusPages.starts}
          type="datetime-local"
          value={values.starts}
          required
          hint={m.statusPages.pageTime(page.tz)}
          error={form.errorOf('starts')}
          onChange={(event) => set({ starts: event.target.value })}
        />
        <Field
          label={m.statusPages.ends}
          type="datetime-local"
          value={values.ends}
          required
          error={form.errorOf('ends')}
          onChange={(event) => set({ ends: event.target.value })}
        />
      </div>
      <TextArea
        label={m.statusPages.text}
        hint={m.statusPages.textHint}
        value={values.text}
        required
        rows={3}
        maxLength={2_000}
        error={form.errorOf('text')}
        onChange={(event) => set({ text: event.target.value })}
      />
      <Touched page={page} ids={touched} onChange={setTouched} />
      {otherError !== null && <ErrorText>{otherError}</ErrorText>}
      <div className="flex flex-wrap justify-end gap-4">
        <Button onClick={onClose}>{m.controls.cancel}</Button>
        <Button kind="primary" type="submit" isBusy={form.isPending}>
          {m.statusPages.announce}
        </Button>
      </div>
    </form>
  );
}
