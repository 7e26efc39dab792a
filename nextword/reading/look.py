"""How the book's pictures sit in JupyterLab, which would make each as wide as the window."""

LOOK = "<style>.jp-RenderedSVG img, .jp-RenderedSVG svg { width: 100%; max-width: 36rem; }</style>"
