import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bookmark, Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { SavedViewJson } from '../../../src/wire/dashboard/saved-view-output.ts';
import { post, remove as sendDelete } from '../../app/api.ts';
import { searchOfView, viewsQuery } from '../../app/views.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Switch } from '../../ui/switch.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';
import type { Scope } from './board.ts';
import { searchOf, type View } from './view.ts';

const t = m.views;
const ICON = { strokeWidth: 1.5, 'aria-hidden': true } as const;
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Views that the person has kept: `items` belong into the menu of the list, `dialog` somewhere on the page. */
export function useSavedViews(project: Scope, view: View, isWriter: boolean) {
  const { data: views = [] } = useQuery({ ...viewsQuery(project ?? ''), enabled: project !== null });
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const navigate = useNavigate();
  const close = () => setOpen(null);
  // Views belong to a project.
  if (project === null) return { items: null, dialog: null };
  const items: ReactNode = (
    <>
      {views.map((one) => (
        <MenuItem
          key={one.uuid}
          icon={<Bookmark {...ICON} className="size-7" />}
          onSelect={() => void navigate({ to: './', search: searchOfView(one) })}
        >
          <span className="max-w-[220px] truncate">{one.name}</span>
        </MenuItem>
      ))}
      {views.length > 0 && <MenuLine />}
      <MenuItem onSelect={() => setOpen('save')}>{t.save}</MenuItem>
      {views.length > 0 && <MenuItem onSelect={() => setOpen('manage')}>{t.manage}</MenuItem>}
      <MenuLine />
    </>
  );
  const dialog: ReactNode = (
    <>
      {open === 'save' && <SaveDialog project={project} view={view} isWriter={isWriter} onClose={close} />}
      {open === 'manage' && (
        <ManageDialog project={project} view={view} views={views} isWriter={isWriter} onClose={close} />
      )}
    </>
  );
  return { items, dialog };
}

/** What the list shows now. Checks that turned bad together are found at this moment only. */
const queryOf = (view: View): string => new URLSearchParams(searchOf({ ...view, since: null })).toString();

/** The name of a view, and what is wrong with it. */
function NameField({
  name,
  error,
  onName,
}: {
  readonly name: string;
  readonly error: string | null;
  readonly onName: (name: string) => void;
}) {
  return (
    <Field
      label={t.name}
      value={name}
      error={error}
      autoComplete="off"
      autoFocus
      onChange={(event) => onName(event.target.value)}
    />
  );
}

function SaveDialog({
  project,
  view,
  isWriter,
  onClose,
}: {
  readonly project: string;
  readonly view: View;
  readonly isWriter: boolean;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [isShared, setIsShared] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    try {
      await post(`/projects/${project}/views`, { name, query: queryOf(view), shared: isShared });
      tell(t.saved(name.trim()));
      onClose();
      await queries.invalidateQueries(viewsQuery(project));
    } catch (failure) {
      setError(reasonOf(failure));
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={t.saveTitle} onClose={onClose}>
      <p className="text-ink-2">{t.saveLead}</p>
      <form className="grid gap-6" onSubmit={(event) => void save(event)}>
        <NameField name={name} error={error} onName={setName} />
        {isWriter && (
          <Checkbox
            label={t.shared}
            checked={isShared}
            onChange={(event) => setIsShared(event.target.checked)}
          />
        )}
        <DialogActions>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={name.trim() === ''}>
            {t.go}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function ManageDialog({
  project,
  view: shown,
  views,
  isWriter,
  onClose,
}: {
  readonly project: string;
  readonly view: View;
  readonly views: readonly SavedViewJson[];
  readonly isWriter: boolean;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const [edited, setEdited] = useState<string | null>(null);
  const change = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      tellError(reasonOf(error));
    }
    await queries.invalidateQueries(viewsQuery(project));
  };
  const pathOf = ({ uuid }: SavedViewJson) => `/projects/${project}/views/${uuid}`;
  const remove = (view: SavedViewJson) =>
    change(async () => {
      await sendDelete(pathOf(view));
      tell(t.deleted(view.name));
    });
  return (
    <Dialog title={t.manageTitle} onClose={onClose}>
      <ul className="grid">
        {views.map((view) =>
          view.uuid === edited ? (
            <li key={view.uuid} className="border-t border-line py-4 first:border-t-0">
              <EditForm
                view={view}
                onCancel={() => setEdited(null)}
                onSave={async (name, isReplaced) => {
                  await post(pathOf(view), { name, ...(isReplaced && { query: queryOf(shown) }) });
                  setEdited(null);
                  await queries.invalidateQueries(viewsQuery(project));
                }}
              />
            </li>
          ) : (
            <li
              key={view.uuid}
              className="flex items-center gap-5 border-t border-line py-4 first:border-t-0"
            >
              <span className="min-w-0 flex-1">
                <b className="block truncate font-medium">{view.name}</b>
                <span className="block truncate text-12 text-ink-3">
                  {view.own ? (view.shared ? t.everybody : t.onlyYou) : t.by(view.by)}
                </span>
              </span>
              {view.own && (isWriter || !view.shared) && (
                <Button
                  kind="ghost"
                  size="smallIcon"
                  aria-label={t.edit(view.name)}
                  onClick={() => setEdited(view.uuid)}
                >
                  <Pencil {...ICON} className="size-8" />
                </Button>
              )}
              {view.own && isWriter && (
                <Switch
                  label={t.share(view.name)}
                  isOn={view.shared}
                  onChange={(shared) => void change(() => post(pathOf(view), { shared }))}
                />
              )}
              {(view.own || isWriter) && (
                <Button
                  kind="ghost"
                  size="smallIcon"
                  aria-label={t.delete(view.name)}
                  onClick={() => void remove(view)}
                >
                  <Trash2 {...ICON} className="size-8" />
                </Button>
              )}
            </li>
          ),
        )}
      </ul>
    </Dialog>
  );
}

/** Another name for a view, and what the list shows now in place of what the view has shown. */
function EditForm({
  view,
  onSave,
  onCancel,
}: {
  readonly view: SavedViewJson;
  readonly onSave: (name: string, isReplaced: boolean) => Promise<void>;
  readonly onCancel: () => void;
}) {
  const [name, setName] = useState(view.name);
  const [isReplaced, setIsReplaced] = useState(false);
  const [error, setError] = useState<string | null>(null);
  return (
    <form
      className="grid gap-6"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(name, isReplaced).catch((failure: unknown) => setError(reasonOf(failure)));
      }}
    >
      <NameField name={name} error={error} onName={setName} />
      <Checkbox
        label={t.replace}
        checked={isReplaced}
        onChange={(event) => setIsReplaced(event.target.checked)}
      />
      <div className="flex justify-end gap-4">
        <Button size="small" onClick={onCancel}>
          {m.controls.cancel}
        </Button>
        <Button size="small" kind="primary" type="submit" disabled={name.trim() === ''}>
          {m.controls.save}
        </Button>
      </div>
    </form>
  );
}
