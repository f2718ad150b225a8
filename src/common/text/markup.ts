/** The start of a web page or of XML, such as the error of a storage service. */
const MARKUP = /^\s*<(?:!doctype\s|html[\s>]|\?xml\s|!--)/i;

/** Returns whether the start of a text is that of a web page or of XML. */
export const isMarkup = (text: string): boolean => MARKUP.test(text);
