/** Downloads a text as a file. */
export function download(name: string, type: string, text: string): void {
  downloadFile(new File([text], name, { type }));
}

export function downloadFile(file: File): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Returns a file name for a title. */
export function fileName(title: string, ending: string): string {
  const name = title.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return `${name === '' ? 'datagrid' : name}.${ending}`;
}
