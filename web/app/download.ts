import { getFile } from './api.ts';

/** Saves an answer of the API as a file. A link would not ask for a proof of who the person is. */
export async function download(path: string, name: string): Promise<void> {
  saveFile(await getFile(path), name);
}

export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
