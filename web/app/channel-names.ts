/** What people call an integration: its own name, or that of its kind. */
export const shownName = ({ name, label }: { readonly name: string; readonly label: string }) =>
  name || label;
